//! What the server says about itself, and the files of its application.
use serde_json::{Value, json};

pub(super) const STYLES: &str = "ui://static/review.css";
pub(super) const APPLICATION: &str = "ui://browser/index.html";

/// Files under fixed addresses: media type, text.
pub(super) fn file(uri: &str) -> Option<(&'static str, &'static str)> {
    match uri {
        STYLES => {
            Some(("text/css", ".removed { color: rgb(200, 0, 0) } body { color: var(--mcp-color-fg) }"))
        }
        APPLICATION => Some((
            "text/html; charset=utf-8",
            "<!doctype html><html><head><link rel=\"stylesheet\" href=\"/app.css\"></head>\
             <body><h1>Files</h1><pre id=\"file\"></pre><script src=\"/app.js\"></script></body></html>",
        )),
        "ui://browser/app.css" => Some(("text/css", "h1 { letter-spacing: 3px }")),
        "ui://browser/app.js" => Some((
            "text/javascript",
            "mcp.callTool({ name: 'read_file', arguments: { path: 'a.txt' } })\
             .then(({ content }) => (document.querySelector('#file').textContent = content[0].text))",
        )),
        _ => None,
    }
}

/// The result of `initialize`. The proposal has the schema in the capabilities, its server beside
/// them. That server leaves out `protocolVersion` and `jsonrpc`, which every client requires.
pub(super) fn hello() -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "serverInfo": { "name": "seed-files", "version": "0.1.0" },
        "configSchema": {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "read_only": { "type": "boolean", "scope": "configuration", "description": "Refuse every change." },
                "read_max_bytes": { "type": "integer", "minimum": 0, "audience": "human" },
            },
        },
        "capabilities": {
            "resources": { "read": true, "list": true },
            "tools": { "list": true, "call": true },
            "experimental": { "policy": true },
            "_meta": { "server": "seed-files" },
        },
    })
}

/// The tools. `read_file` has its template on the tool itself, as later servers do.
pub(super) fn tools() -> Value {
    let text = json!({ "type": "string" });
    json!([
        {
            "name": "edit_file",
            "description": "replace a text in a file",
            "inputSchema": {
                "type": "object",
                "properties": { "path": text, "find": text, "replace": text },
                "required": ["path", "find", "replace"],
            },
            "annotations": {
                "group": "filesystem",
                "priority": 1,
                "preview": true,
                "scopes": ["write:file"],
                "intentTemplate": "Replace {find} with {replace} in {path}",
            },
        },
        {
            "name": "read_file",
            "description": "read a file",
            "inputSchema": { "type": "object", "properties": { "path": text }, "required": ["path"] },
            "annotations": { "group": "filesystem", "scopes": ["read:file"] },
            "intentTemplate": "Read {path} [from {root}]",
        },
        {
            "name": "query",
            "description": "change the database",
            "inputSchema": { "type": "object", "properties": { "sql": text } },
            "annotations": { "group": "database", "dynamic_scopes": ["write:database"] },
        },
    ])
}

/// The entries of `resources/list` that are always there.
pub(super) fn resources() -> Vec<Value> {
    vec![
        json!({ "uri": STYLES, "name": "review styles", "mimeType": "text/css" }),
        json!({
            "uri": APPLICATION, "name": "File Browser", "mimeType": "text/html; charset=utf-8",
            "annotations": { "type": "application" },
        }),
        json!({ "uri": "ui://browser/app.css", "name": "browser styles", "mimeType": "text/css" }),
        json!({ "uri": "ui://browser/app.js", "name": "browser script", "mimeType": "text/javascript" }),
    ]
}
