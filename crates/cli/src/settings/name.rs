//! The short name of a server in scopes and the audit log, made from how it is reached; and its whole name in grants, which
//! no other server has.
use std::borrow::Cow;
use std::path::Path;

use overt_gateway::pins::Identity;
use overt_policy::scope;
use overt_wire::json::Json;

use crate::args::TargetArgs;

/// Programs that start others: what they start has the name.
const STARTERS: &[&str] = &[
    "npx", "npm", "bunx", "bun", "pnpm", "yarn", "deno", "node", "uvx", "uv", "pipx", "python", "python3",
    "sh", "bash", "env",
];
/// Words after a starter that name nothing.
const FILLERS: &[&str] = &["run", "exec", "x", "dlx", "tool"];

/// The name in the file, the host, or the program.
pub(super) fn name(args: &TargetArgs, url: Option<&str>) -> String {
    if let Some(url) = url {
        return of_url(url);
    }
    if let Some(name) = args.mcp_json.as_ref().and_then(|words| words.last()) {
        return scope::kind_of(&name.to_string_lossy());
    }
    let words: Vec<String> = args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    scope::kind_of(&of_command(&words))
}

/// `name#id`. Two servers that are called the same, such as two files `index.js`, differ in the id.
pub(super) fn identity(name: &str, identity: &Identity) -> String {
    format!("{name}#{}", identity.id())
}

/// The same for a server that is remembered. A name that it has in a file of servers is not.
pub(crate) fn remembered_identity(server: &Identity) -> String {
    let json = server.json();
    let name = match json.get("url").string() {
        Some(url) => of_url(&url),
        None => {
            let words = json.get("command").value().into_iter().flat_map(Json::elements);
            let words: Vec<String> = words.filter_map(Json::string).map(Cow::into_owned).collect();
            scope::kind_of(&of_command(&words))
        }
    };
    identity(&name, server)
}

fn of_url(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    scope::kind_of(host.rsplit('@').next().unwrap_or_default())
}

fn of_command(words: &[String]) -> String {
    let mut names = words.iter().filter(|word| !word.starts_with('-')).map(|word| bare(word));
    let first = names.next().unwrap_or_default();
    if !STARTERS.contains(&first) {
        return first.to_owned();
    }
    names.find(|name| !FILLERS.contains(name) && !STARTERS.contains(name)).unwrap_or(first).to_owned()
}

/// `@scope/server-x@1.2` and `dist/server-x.js` are `server-x`.
fn bare(word: &str) -> &str {
    let path = Path::new(word);
    let last = path.file_name().and_then(|name| name.to_str()).unwrap_or(word);
    let last = last.split('@').find(|part| !part.is_empty()).unwrap_or(last);
    [".js", ".mjs", ".cjs", ".ts", ".py", ".exe"]
        .iter()
        .find_map(|end| last.strip_suffix(end))
        .unwrap_or(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_has_the_name_of_what_it_starts() {
        let name = |command: &str| {
            let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            scope::kind_of(&of_command(&words))
        };
        assert_eq!(name("npx -y @modelcontextprotocol/server-everything"), "server-everything");
        assert_eq!(
            name("npx -y @modelcontextprotocol/server-filesystem@2026.1.2 /home"),
            "server-filesystem"
        );
        assert_eq!(name("uvx mcp-server-git --repository ."), "mcp-server-git");
        assert_eq!(name("python3 -m mcp_server_fetch"), "mcp_server_fetch");
        assert_eq!(name("node dist/index.js"), "index");
        assert_eq!(name("/usr/bin/My.Server"), "my-server");
        assert_eq!(name("npx"), "npx");
    }
}
