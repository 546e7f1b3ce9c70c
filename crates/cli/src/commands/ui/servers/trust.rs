//! Sets how far a server is trusted, as `overt trust` does.
use overt_layers::grants::TrustedServer;
use overt_policy::Trust;
use overt_policy::word::StringEnum as _;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::problem::Problem;
use crate::output::{one_line, trust_words};
use overt_layers::person::{ForgetTrust, PersonAction as _, PersonCheck as _};
use overt_operator::decisions::{forget_trust, set_trust as set_trust_of, trust_in};
use overt_operator::inbox::InboxStore;
use overt_operator::servers::known_servers;

/// The page's request to decide about a server in a project.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct SetTrust {
    /// The full name of the server.
    server: String,
    project: Option<String>,
    /// `None` withdraws the decision, so that the next call asks.
    trust: Option<String>,
    /// The decision that the page showed.
    was: Option<String>,
}

pub(in super::super) fn set_trust(store: &InboxStore<'_>, set: &SetTrust) -> Result<Value, Problem> {
    let SetTrust { server, project, trust, was } = set;
    let trust = match trust {
        Some(word) => {
            let unknown = || Problem::new(400, format!("`{word}` is none of {}", Trust::choices()));
            Some(Trust::parse(word).ok_or_else(unknown)?)
        }
        None => None,
    };
    let (operator, decisions) = (store.operator(), store.store());
    let is_this = |one: &&TrustedServer| one.server == *server && one.project == *project;
    let now = decisions.trusted()?.iter().find(is_this).map(|one| one.trust.to_string());
    if now != *was {
        let message = "another decision about this server was made meanwhile; nothing was changed";
        return Err(Problem::conflict(message).with_hint("load the servers again"));
    }
    // A decision about an unknown server could later apply to another server that takes its name.
    if !known_servers(operator)?.contains(server) {
        return Err(Problem::new(404, format!("no server `{}` is known", one_line(server))));
    }
    let project = project.as_deref();
    let words = match trust {
        Some(trust) => {
            // The page shows no changes of tools here, so none is covered, and their questions stay
            // open.
            let decision = trust_in(server, project, trust, &[]);
            let answered = set_trust_of(operator, &store.check(), decisions, decision)?;
            let also: Vec<String> = answered.iter().map(|id| format!("; {id} is answered")).collect();
            format!("{}: {}{}", one_line(server), trust_words(trust), also.concat())
        }
        None => {
            // Forgetting requires a person too: a page that an agent started can only show.
            let forget = ForgetTrust { server: server.clone(), project: project.map(str::to_owned) };
            store.check().person().map_err(|why| operator.refuse(why, forget.intent()))?;
            forget_trust(operator, decisions, server, project)?;
            format!("{}: forgotten; its next call asks you again", one_line(server))
        }
    };
    Ok(json!({ "words": words }))
}
