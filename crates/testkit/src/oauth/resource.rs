//! The MCP endpoint that requires tokens: a modern server with two tools, one of which needs an
//! additional scope.
use serde_json::{Value, json};

use super::issuer::Issuer;
use super::web::{Request, Response};

/// The scope of every request, and the additional scope of the tool `wide`.
pub(super) const BASIC: &str = "basic";
pub(super) const WIDE: &str = "wide";

pub(super) fn answer(request: &Request, issuer: &Issuer, metadata_url: &str) -> Response {
    let token = request.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    let Some(access) = token.and_then(|token| issuer.access.get(token)) else {
        let challenge = format!("Bearer resource_metadata=\"{metadata_url}\", scope=\"{BASIC}\"");
        return Response::status(401).with("WWW-Authenticate", &challenge);
    };
    let message = request.json();
    let wide = message["params"]["name"] == WIDE;
    if wide && !access.scope.split(' ').any(|scope| scope == WIDE) {
        let challenge = format!(
            "Bearer error=\"insufficient_scope\", scope=\"{WIDE}\", resource_metadata=\"{metadata_url}\""
        );
        return Response::status(403).with("WWW-Authenticate", &challenge);
    }
    let Some(id) = message.get("id") else { return Response::status(202) };
    Response::json(200, &json!({ "jsonrpc": "2.0", "id": id, "result": result(&message) }))
}

fn result(message: &Value) -> Value {
    let schema = json!({ "type": "object" });
    match message["method"].as_str().unwrap_or_default() {
        "server/discover" => json!({
            "resultType": "complete",
            "ttlMs": 0,
            "cacheScope": "private",
            "supportedVersions": ["2026-07-28"],
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "protected", "version": "1" },
        }),
        "tools/list" => json!({
            "resultType": "complete",
            "ttlMs": 0,
            "cacheScope": "private",
            "tools": [
                { "name": "narrow", "inputSchema": schema },
                { "name": WIDE, "inputSchema": schema },
            ],
        }),
        _ => json!({ "resultType": "complete", "content": [{ "type": "text", "text": "done" }] }),
    }
}
