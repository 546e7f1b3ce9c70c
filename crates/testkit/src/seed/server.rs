//! Handles messages. Marks of an answer stand beside `result`, those of an error inside `error`.
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::{answers, change};

/// The server, independent of the transport. Its files are in memory.
#[derive(Debug)]
pub struct SeedServer(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    files: BTreeMap<String, String>,
    /// Diffs and pages of calls: address, media type, text.
    artifacts: Vec<(String, &'static str, String)>,
    read_only: bool,
}

/// An answer without its envelope.
enum Reply {
    Result(Value),
    /// A result, and the `_meta` beside it.
    Marked(Value, Value),
    Error(Value),
}

impl Default for SeedServer {
    fn default() -> Self {
        let files = [("a.txt", "one\ntwo\nthree\n"), ("/outside/o.txt", "outside\n")];
        let files = files.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
        Self(Mutex::new(State { files, ..State::default() }))
    }
}

impl SeedServer {
    /// Answers a message. Like the proposal's own server, it answers notifications too.
    pub fn answer(&self, message: &Value) -> Value {
        let id = &message["id"];
        if id.is_null() {
            let error = json!({ "code": -32700, "message": "missing field `id`" });
            return json!({ "jsonrpc": "2.0", "id": null, "error": error });
        }
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match state.reply(message["method"].as_str().unwrap_or_default(), &message["params"]) {
            Reply::Result(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Reply::Marked(result, meta) => {
                json!({ "jsonrpc": "2.0", "id": id, "result": result, "_meta": meta })
            }
            Reply::Error(error) => json!({ "jsonrpc": "2.0", "id": id, "error": error }),
        }
    }
}

impl State {
    fn reply(&mut self, method: &str, params: &Value) -> Reply {
        match method {
            "initialize" => {
                let configuration = &params["capabilities"]["experimental"]["configuration"];
                self.read_only = configuration["read_only"] == true;
                Reply::Result(answers::hello())
            }
            "tools/list" => Reply::Result(json!({ "tools": answers::tools() })),
            "tools/call" => self.call(params),
            "resources/list" => {
                let made = self.artifacts.iter().map(
                    |(uri, mime_type, _)| json!({ "uri": uri, "name": "review", "mimeType": mime_type }),
                );
                let all: Vec<Value> = answers::resources().into_iter().chain(made).collect();
                Reply::Result(json!({ "resources": all }))
            }
            "resources/read" => self.read(params["uri"].as_str().unwrap_or_default()),
            _ => Reply::Error(json!({ "code": -32601, "message": "method not found" })),
        }
    }

    fn read(&self, uri: &str) -> Reply {
        let made = self.artifacts.iter().find(|(made, _, _)| made == uri);
        let found = made.map(|(_, mime_type, text)| (*mime_type, text.as_str())).or(answers::file(uri));
        match found {
            Some((mime_type, text)) => {
                Reply::Result(json!({ "contents": [{ "uri": uri, "mimeType": mime_type, "text": text }] }))
            }
            None => Reply::Error(json!({ "code": -32000, "message": "resource not found" })),
        }
    }

    fn call(&mut self, params: &Value) -> Reply {
        let (arguments, meta) = (&params["arguments"], &params["_meta"]);
        let path = arguments["path"].as_str().unwrap_or_default();
        let granted = |scope: &str| {
            let listed = [&meta["granted_scopes"], &meta["allowed_scopes"]];
            listed.into_iter().flat_map(|list| list.as_array().into_iter().flatten()).any(|one| one == scope)
        };
        match params["name"].as_str().unwrap_or_default() {
            "query" if granted("write:database") => Reply::Result(said("1 row")),
            "query" => Reply::Error(json!({
                "code": -32601,
                "message": "missing required scopes",
                "_meta": { "requested_scopes": ["write:database"] },
            })),
            name @ ("edit_file" | "read_file") => {
                let verb = if name == "edit_file" { "write" } else { "read" };
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                let scope = format!("{verb}:file:{folder}");
                match self.files.get(path).cloned() {
                    _ if path.starts_with('/') && !granted(&scope) => Reply::Marked(
                        failed("PATH_OUTSIDE_ROOT", "path outside root"),
                        json!({ "requested_scopes": [scope] }),
                    ),
                    None => Reply::Result(failed("EXECUTION_ERROR", "no such file")),
                    Some(text) if verb == "read" => Reply::Result(said(&text)),
                    Some(text) => self.edit(path, &text, arguments, meta["preview"] == true),
                }
            }
            _ => Reply::Error(json!({ "code": -32601, "message": "unknown tool" })),
        }
    }

    /// Edits a file, or makes the same output without changing it.
    fn edit(&mut self, path: &str, old: &str, arguments: &Value, is_preview: bool) -> Reply {
        let text = |name: &str| arguments[name].as_str().unwrap_or_default();
        let count = old.matches(text("find")).count();
        if self.read_only {
            return Reply::Result(failed("PERMISSION_DENIED", "permission denied"));
        }
        if text("find").is_empty() || count == 0 {
            return Reply::Result(failed("FIND_NOT_FOUND", "find text not found"));
        }
        let new = old.replace(text("find"), text("replace"));
        let (diff, page) = change::shown(path, old, &new);
        let uri = format!("ui://edit_file/{}", self.artifacts.len());
        self.artifacts.push((uri.clone(), "text/html", page));
        self.artifacts.push((format!("{uri}.diff"), "text/x-diff", diff));
        let words = if is_preview { "Generated review for edit in" } else { "Applied edit in" };
        if !is_preview {
            self.files.insert(path.to_owned(), new);
        }
        let result = json!({
            "content": [
                { "type": "text", "text": format!("{words} {path}.") },
                { "type": "review", "url": uri, "mimeType": "text/html" },
                { "type": "diff", "url": format!("{uri}.diff"), "mimeType": "text/x-diff" },
            ],
            "structuredContent": { "path": path, "match_count": count },
        });
        if is_preview { Reply::Marked(result, json!({ "preview": true })) } else { Reply::Result(result) }
    }
}

fn said(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

fn failed(code: &str, text: &str) -> Value {
    let content = json!([{ "type": "text", "text": text }]);
    json!({ "isError": true, "structuredContent": { "code": code }, "content": content })
}
