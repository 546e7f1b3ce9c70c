//! Sets how far a server is trusted, as `overt trust` does.
use overt_layers::grants::TrustedServer;
use overt_policy::Trust;
use overt_policy::word::StringEnum as _;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::problem::Problem;
use crate::commands::grants::{forget_trust, give_trust, known_servers, trust_decision};
use crate::commands::inbox::InboxStore;
use crate::output::{one_line, trust_words};

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
    let context = store.context();
    let decisions = context.new_store()?;
    let is_this = |one: &&TrustedServer| one.server == *server && one.project == *project;
    let now = decisions.trusted()?.iter().find(is_this).map(|one| one.trust.to_string());
    if now != *was {
        let message = "another decision about this server was made meanwhile; nothing was changed";
        return Err(Problem::conflict(message).with_hint("load the servers again"));
    }
    // A decision about an unknown server could later apply to another server that takes its name.
    if !known_servers(context)?.contains(server) {
        return Err(Problem::new(404, format!("no server `{}` is known", one_line(server))));
    }
    let project = project.as_deref();
    // Forgetting requires a person too: a page that an agent started can only show.
    store.check_person(&trust_decision(server, project, trust))?;
    let words = match trust {
        Some(trust) => {
            // The page shows no changes of tools here, so none is covered, and their questions stay
            // open.
            let answered = give_trust(context, &decisions, (server.as_str(), project), trust, &[])?;
            let also: Vec<String> = answered.iter().map(|id| format!("; {id} is answered")).collect();
            format!("{}: {}{}", one_line(server), trust_words(trust), also.concat())
        }
        None => {
            forget_trust(context, &decisions, server, project)?;
            format!("{}: forgotten; its next call asks you again", one_line(server))
        }
    };
    Ok(json!({ "words": words }))
}
