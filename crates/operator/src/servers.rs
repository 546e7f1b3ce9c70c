//! Finds the server that a name means. A short name is enough if only one server has it.
use std::collections::BTreeSet;

use overt_gateway::pins::PinStore;
use overt_servers::files;

use crate::error::{Explain, OperatorError};
use crate::operator::Operator;
use crate::server_name::remembered_identity;

/// The name means no known server, or several.
#[derive(Debug, thiserror::Error)]
enum ServerError {
    #[error("no server `{0}` is known")]
    Unknown(String),
    #[error("server `{0}` has not run behind Overt yet, and only its client knows how it is started")]
    NotIdentified(String),
    #[error("there are several servers `{name}`: {}", all.join(", "))]
    Several { name: String, all: Vec<String> },
}

impl Explain for ServerError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unknown(name) => format!(
                "put `overt run` in front of it once, or name it as `{name}#ID`; `overt pins list` shows the ids"
            ),
            Self::NotIdentified(_) => "let the client start it once, and repeat this".to_owned(),
            Self::Several { .. } => {
                "name one of them; `overt pins list` shows how each is started".to_owned()
            }
        })
    }
}

/// Returns the identity of the server that the name means.
pub fn identity(operator: &Operator<'_>, name: &str) -> Result<String, OperatorError> {
    if is_whole(name) {
        return Ok(name.to_owned());
    }
    let short = |known: &String| known.split('#').next() == Some(name);
    let mut found: Vec<String> = known_servers(operator)?.into_iter().filter(short).collect();
    if found.is_empty() {
        // Look there only for a server that has not run: its client may find another program than
        // this process would.
        let configured = operator.environment.configured_servers();
        match configured.get(name) {
            Some(identities) if identities.is_empty() => {
                return Err(ServerError::NotIdentified(name.to_owned()).into());
            }
            identities => found.extend(identities.into_iter().flatten().cloned()),
        }
    }
    match (found.pop(), found.is_empty()) {
        (Some(one), true) => Ok(one),
        (None, _) => Err(ServerError::Unknown(name.to_owned()).into()),
        (Some(last), false) => {
            let all = found.iter().chain([&last]).map(|one| format!("`{one}`")).collect();
            Err(ServerError::Several { name: name.to_owned(), all }.into())
        }
    }
}

/// Returns the servers that have grants, open questions, a decision about trust, or remembered
/// tools.
pub fn known_servers(operator: &Operator<'_>) -> Result<BTreeSet<String>, OperatorError> {
    let mut known = BTreeSet::from([files::NAME.to_owned()]);
    if let Some(store) = operator.store()? {
        known.extend(store.grants()?.into_iter().map(|grant| grant.terms.server));
        known.extend(store.questions()?.into_iter().map(|open| open.question.server));
        known.extend(store.trusted()?.into_iter().map(|trusted| trusted.server));
    }
    let remembered = PinStore::new(operator.state).all()?;
    known.extend(
        remembered
            .into_iter()
            .filter_map(|entry| entry.record.ok())
            .map(|record| remembered_identity(&record.identity)),
    );
    Ok(known)
}

/// Says whether the name is complete, such as `name#1a2b3c4d`.
fn is_whole(name: &str) -> bool {
    let is_id = |id: &str| id.len() == ID && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    name.split_once('#').is_some_and(|(name, id)| !name.is_empty() && is_id(id))
}

/// How many digits the id of a server has.
const ID: usize = 8;
