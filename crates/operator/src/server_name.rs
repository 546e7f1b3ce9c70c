//! The short name of a server in scopes and the audit log, derived from how it is reached, and its
//! unique full name in grants.
use std::borrow::Cow;
use std::path::Path;

use overt_gateway::pins::Identity;
use overt_policy::scope;
use overt_wire::json::Json;

pub use crate::command_name::of_command;

/// Returns `name#id`. Two servers of the same name, such as two files `server.js`, differ in the
/// id.
pub fn identity(name: &str, identity: &Identity) -> String {
    format!("{name}#{}", identity.server_id())
}

/// The name and id of a server from its record in the pins.
pub fn remembered_identity(server: &Identity) -> String {
    if let Some(name) = server.name() {
        return identity(name, server);
    }
    let json = server.json();
    let name = match json.get("url").string() {
        Some(url) => of_url(&url),
        None => {
            let words = json.get("command").value().into_iter().flat_map(Json::elements);
            let words: Vec<String> = words.filter_map(Json::string).map(Cow::into_owned).collect();
            scope::kind_of(&of_command(&words, server.directory().map(Path::new)))
        }
    };
    identity(&name, server)
}

pub fn of_url(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    scope::kind_of(host.rsplit('@').next().unwrap_or_default())
}
