//! Finds out how an entry starts or reaches its server.
use std::path::Path;

use super::node::{Member, Node, Value};
use super::refusal::Refusal;
use crate::BareUrl;

/// How a server is started or reached.
#[derive(Debug)]
pub enum Launch<'a> {
    /// Overt is already in front of the server. Holds the words of the whole `overt run` command.
    Wrapped(Program<'a>),
    /// The server is one of Overt's own.
    Own,
    Program(Program<'a>),
    Remote(Remote<'a>),
}

/// A server that the client starts.
#[derive(Debug)]
pub struct Program<'a> {
    /// The object that has the members: the entry itself, or an object inside it.
    pub holder: &'a Node,
    /// The member of the entry that is the holder; `None` if the holder is the entry itself.
    pub inside: Option<&'static str>,
    pub form: Form,
    /// The program and its arguments.
    pub words: Vec<&'a str>,
}

/// How the command is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The program in this member, the arguments in `args`.
    Words(&'static str),
    /// All words in `command`.
    List,
}

/// A server that is reached at an address.
#[derive(Debug)]
pub struct Remote<'a> {
    pub holder: &'a Node,
    pub address: &'a Member,
    pub url: &'a str,
}

/// Reads an entry. Returns why its server can't be wrapped if it has an unexpected form.
pub fn launch(entry: &Node, bare_url: BareUrl) -> Result<Launch<'_>, Refusal> {
    if !entry.is_object() {
        return Err(Refusal::NotAnObject);
    }
    let (holder, inside) = holder(entry);
    let address = ["url", "httpUrl", "serverUrl", "uri"].into_iter().find_map(|name| holder.member(name));
    let program = program(holder, inside)?;
    match (program, address) {
        (Some(_), Some(_)) => Err(Refusal::TwoTargets),
        (None, None) if entry.get("settings").is_some() => Err(Refusal::Extension),
        (None, None) => Err(Refusal::NoTarget),
        (None, Some(address)) => remote(holder, address, bare_url),
        (Some(program), None) => {
            if let Some(overt) = of_overt(&program) {
                return Ok(if overt { Launch::Wrapped(program) } else { Launch::Own });
            }
            match kind(holder)? {
                None | Some("stdio" | "local") => {}
                Some(other) => return Err(Refusal::Transport(other.to_owned())),
            }
            if entry.get("sandboxEnabled").is_some_and(Node::is_true) {
                return Err(Refusal::Sandbox);
            }
            if entry.get("dev").and_then(|dev| dev.get("debug")).is_some_and(|debug| !debug.is_null()) {
                return Err(Refusal::Debugger);
            }
            Ok(Launch::Program(program))
        }
    }
}

/// Returns the object that has the members: Cline keeps them in `transport`, older versions of Zed
/// in `command`.
fn holder(entry: &Node) -> (&Node, Option<&'static str>) {
    let inner =
        |name: &'static str| entry.get(name).filter(|node| node.is_object()).map(|node| (node, Some(name)));
    inner("transport").or_else(|| inner("command")).unwrap_or((entry, None))
}

fn kind(holder: &Node) -> Result<Option<&str>, Refusal> {
    match holder.get("type").or_else(|| holder.get("transport")) {
        None => Ok(None),
        Some(node) if node.is_null() => Ok(None),
        Some(node) => node.string().map(Some).ok_or(Refusal::Shape("type")),
    }
}

fn program<'a>(holder: &'a Node, inside: Option<&'static str>) -> Result<Option<Program<'a>>, Refusal> {
    // Goose calls the member `cmd`.
    let name = match inside {
        Some("command") => "path",
        _ if holder.get("command").is_none() => "cmd",
        _ => "command",
    };
    let Some(command) = holder.get(name) else { return Ok(None) };
    let (form, words) = match &command.value {
        Value::String(program) => {
            let arguments = match holder.get("args") {
                None => Vec::new(),
                Some(node) if node.is_null() => Vec::new(),
                Some(node) => node.strings().ok_or(Refusal::Shape("args"))?,
            };
            (Form::Words(name), std::iter::once(program.as_str()).chain(arguments).collect())
        }
        Value::Array(_) => (Form::List, command.strings().ok_or(Refusal::Shape("command"))?),
        Value::Object(_) | Value::Scalar(_) => return Err(Refusal::Shape("command")),
    };
    match words.first() {
        Some(program) if !program.is_empty() => Ok(Some(Program { holder, inside, form, words })),
        _ => Err(Refusal::Shape("command")),
    }
}

/// Returns `None` if the program is not Overt, otherwise whether Overt runs in front of a server.
fn of_overt(program: &Program<'_>) -> Option<bool> {
    let [name, rest @ ..] = program.words.as_slice() else { return None };
    let is_ours = Path::new(name).file_stem().is_some_and(|stem| stem == "overt");
    is_ours.then(|| rest.first() == Some(&"run"))
}

impl<'a> Program<'a> {
    /// Returns the value of an option of `overt run`.
    pub fn option(&self, name: &str) -> Option<&'a str> {
        let end = self.words.iter().position(|word| *word == "--").unwrap_or(self.words.len());
        let at = self.words[..end].iter().position(|word| *word == name)?;
        self.words[..end].get(at + 1).copied()
    }
}

fn remote<'a>(holder: &'a Node, address: &'a Member, bare_url: BareUrl) -> Result<Launch<'a>, Refusal> {
    let url = address.node.string().ok_or(Refusal::Shape("url"))?;
    match (kind(holder)?, bare_url) {
        (None, BareUrl::Sse) if address.name == "url" => return Err(Refusal::Transport("sse".to_owned())),
        (None | Some("http" | "streamable-http" | "streamableHttp" | "streamable_http" | "remote"), _) => {}
        (Some(other), _) => return Err(Refusal::Transport(other.to_owned())),
    }
    if !url.starts_with("http://") && !url.starts_with("https://") && !url.starts_with("${") {
        let scheme = url.split(':').next().unwrap_or_default();
        return Err(Refusal::Transport(scheme.to_owned()));
    }
    Ok(Launch::Remote(Remote { holder, address, url }))
}

#[cfg(test)]
mod tests {
    use super::super::json::parse;
    use super::*;

    fn read(text: &str) -> String {
        let node = parse(text).unwrap();
        match launch(&node, BareUrl::Http) {
            Ok(Launch::Wrapped(program)) => format!("wrapped {}", program.words.join(" ")),
            Ok(Launch::Own) => "own".to_owned(),
            Ok(Launch::Program(program)) => format!("{:?} {}", program.form, program.words.join(" ")),
            Ok(Launch::Remote(remote)) => format!("{} {}", remote.address.name, remote.url),
            Err(refusal) => format!("refused: {refusal}"),
        }
    }

    #[test]
    fn entries_are_read_in_every_shape() {
        for (text, expected) in [
            (r#"{"command":"npx","args":["-y","x"]}"#, "Words(\"command\") npx -y x"),
            (r#"{"command":"npx","args":null,"type":"stdio"}"#, "Words(\"command\") npx"),
            (r#"{"transport":{"type":"stdio","command":"npx"}}"#, "Words(\"command\") npx"),
            (r#"{"command":{"path":"npx","args":["x"]}}"#, "Words(\"path\") npx x"),
            (r#"{"type":"local","command":["npx","x"]}"#, "List npx x"),
            (
                r#"{"command":"/a/overt","args":["run","--name","n","--","npx"]}"#,
                "wrapped /a/overt run --name n -- npx",
            ),
            (r#"{"command":"overt","args":["fs","."]}"#, "own"),
            (r#"{"type":"http","url":"https://x/mcp"}"#, "url https://x/mcp"),
            (r#"{"httpUrl":"https://x/mcp"}"#, "httpUrl https://x/mcp"),
            (r#"{"type":"sse","url":"https://x/sse"}"#, "refused: Overt does not speak its transport `sse`"),
            (r#"{"url":"ws://x"}"#, "refused: Overt does not speak its transport `ws`"),
            (r#"{"url":"unix:///x"}"#, "refused: Overt does not speak its transport `unix`"),
            (r#"{"command":"x","url":"https://x"}"#, "refused: its entry has both a command and an address"),
            (r#"{"settings":{}}"#, "refused: an extension of Zed starts it"),
            (
                r#"{"command":"x","sandboxEnabled":true}"#,
                "refused: VS Code would put Overt into its sandbox (`sandboxEnabled`), without state and without questions",
            ),
            (
                r#"{"command":"x","dev":{"debug":{"type":"node"}}}"#,
                "refused: VS Code attaches a debugger to its command (`dev.debug`)",
            ),
            (r#"{"command":"x","args":"-y"}"#, "refused: its `args` has an unexpected form"),
            (r#"{"command":"x","args":[1]}"#, "refused: its `args` has an unexpected form"),
            (r#"{"command":""}"#, "refused: its `command` has an unexpected form"),
            (r#"{}"#, "refused: its entry has neither a command nor an address"),
            (r#""x""#, "refused: its entry is not an object"),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
        let node = parse(r#"{"url":"https://x"}"#).unwrap();
        assert_eq!(launch(&node, BareUrl::Sse).unwrap_err(), Refusal::Transport("sse".to_owned()));
    }
}
