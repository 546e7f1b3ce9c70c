//! The short name of a server in scopes and the audit log, derived from how it is reached, and its
//! unique full name in grants.
use std::borrow::Cow;
use std::path::Path;

use super::command_name::of_command;
use super::project::working_directory;

use overt_gateway::pins::Identity;
use overt_policy::scope;
use overt_wire::json::Json;

use crate::args::TargetArgs;

/// The name in the file, the host, or the name of the program.
pub(super) fn name(args: &TargetArgs, url: Option<&str>) -> String {
    if let Some(url) = url {
        return of_url(url);
    }
    if let Some(name) = args.mcp_json.as_ref().and_then(|words| words.last()) {
        return scope::kind_of(&name.to_string_lossy());
    }
    let words: Vec<String> = args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let folder = args.cwd.clone().or_else(working_directory);
    scope::kind_of(&of_command(&words, folder.as_deref()))
}

/// Returns `name#id`. Two servers of the same name, such as two files `server.js`, differ in the
/// id.
pub(super) fn identity(name: &str, identity: &Identity) -> String {
    format!("{name}#{}", identity.server_id())
}

/// The name and id of a server from its record in the pins.
pub(crate) fn remembered_identity(server: &Identity) -> String {
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

fn of_url(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    scope::kind_of(host.rsplit('@').next().unwrap_or_default())
}
