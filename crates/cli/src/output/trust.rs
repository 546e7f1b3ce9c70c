//! Formats trust in servers, as a table, as words and as JSON, and the command that decides it.
use overt_layers::grants::TrustedServer;
use overt_policy::Trust;
use overt_wire::json::{Array, JsonBuf, Object};
use overt_wire::text::Untrusted;

use super::connect::shell_word;
use super::safe::{clip, one_line};
use super::style::{DIM, NAME, PLAIN};
use super::table::{Cell, Table};

pub(crate) fn trusted_text(trusted: &[TrustedServer], width: Option<usize>) -> String {
    let mut table = Table::new(vec!["SERVER", "TRUST", "MEANS", "PROJECT"]);
    for TrustedServer { server, project, trust } in trusted {
        let place = project.as_deref().map_or_else(|| "none (HTTP)".to_owned(), one_line);
        table.row(vec![
            Cell::new(Untrusted(clip(server)).to_string(), NAME),
            Cell::new(trust.to_string(), PLAIN),
            Cell::new(trust_words(*trust).to_owned(), DIM),
            Cell::new(place, PLAIN),
        ]);
    }
    table.render(width)
}

pub(crate) fn trusted_json(trusted: &[TrustedServer]) -> JsonBuf {
    Object::new().list("trusted", |array| trusted_in(array, trusted)).finish()
}

/// Appends these decisions to the list.
pub(super) fn trusted_in(list: Array, trusted: &[TrustedServer]) -> Array {
    trusted.iter().fold(list, |list, one| list.json(trusted_server(one).finish().as_json()))
}

/// One decision as an object to which the caller can add members. A decision without a project has
/// no member `project`.
pub(crate) fn trusted_server(trusted: &TrustedServer) -> Object {
    Object::new()
        .string("server", &trusted.server)
        .maybe("project", trusted.project.as_deref())
        .string("trust", &trusted.trust.to_string())
}

/// The meaning of a trust level in words.
pub(crate) fn trust_words(trust: Trust) -> &'static str {
    match trust {
        Trust::Changes => "asks you before changes",
        Trust::Everything => "asks you before every call",
        Trust::Record => "asks you nothing, only records",
    }
}

/// The project in words: `in /home/me/site`, or `without a project`.
pub(crate) fn project_words(project: Option<&str>) -> String {
    match project {
        Some(project) => format!("in {}", Untrusted(project)),
        None => "without a project".to_owned(),
    }
}

/// The command that decides about a server in a project, typed in the project `here`.
pub(crate) fn trust_command(server: &str, project: Option<&str>, here: Option<&str>) -> String {
    let server = shell_word(server);
    let place = match project {
        Some(project) if here == Some(project) => String::new(),
        Some(project) => format!(" --project {}", shell_word(project)),
        None => " --no-project".to_owned(),
    };
    one_line(&format!("overt trust {server}{place}"))
}
