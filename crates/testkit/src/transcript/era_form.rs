//! What an era adds to a message: the metadata of a modern request, the marks of a modern result.
use overt_wire::edit::{self, Step::Member};
use overt_wire::era::{Caller, Version, key};
use overt_wire::json::{JsonBuf, Limits, Object};
use overt_wire::{Kind, Message};
use serde_json::Value;

/// The client's description of itself.
const CLIENT: &str = r#"{"name":"transcript","version":"1.0.0"}"#;

/// Returns the request that starts a conversation in the older era.
pub(super) fn initialize(version: Version, capabilities: &JsonBuf) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":"initialize","method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{},"clientInfo":{CLIENT}}}}}"#,
        capabilities.as_str()
    )
}

pub(super) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// Adds to a request the metadata of the newer era, which says who asks.
pub(super) fn stamped(message: &Message, capabilities: &JsonBuf) -> Message {
    let info = JsonBuf::parse(CLIENT).ok();
    let caller = Caller { version: Version::NEWEST, capabilities: capabilities.clone(), info };
    let meta = match message.meta().value() {
        Some(meta) => Object::new().members_of(meta),
        None => Object::new(),
    };
    let meta = caller.to_meta(meta).finish();
    edit::set_in(message, &[Member("params"), Member("_meta")], meta.as_json()).expect("params are an object")
}

/// Removes the marks that every result of the newer era has. Fails if they are wrong.
pub(super) fn without_era(message: &Message) -> Result<Message, String> {
    if message.kind() != Kind::Result {
        return Ok(message.clone());
    }
    let result = message.result_body();
    let server = result.get("_meta").get(key::SERVER_INFO);
    if server.get("name").string().is_none() || server.get("version").string().is_none() {
        return Err("the result does not say which server it is from".into());
    }
    // For a task, `ttlMs` is its lifetime, and not how long a result may be cached.
    let is_task = !result.get("taskId").is_absent();
    let kept = !is_task && result.get("ttlMs").value().is_some();
    if kept && result.get("cacheScope").string().as_deref() != Some("private") {
        return Err("the result may be kept by shared caches".into());
    }
    let mut plain = remove(message, &["_meta", key::SERVER_INFO]);
    if plain.result_body().get("_meta").value().is_some_and(|meta| meta.members().next().is_none()) {
        plain = remove(&plain, &["_meta"]);
    }
    match result.get("resultType").string().as_deref() {
        Some("complete") => plain = remove(&plain, &["resultType"]),
        Some("input_required" | "task") => {}
        _ => return Err("the result does not say what it is".into()),
    }
    if is_task {
        return Ok(plain);
    }
    Ok(remove(&remove(&plain, &["ttlMs"]), &["cacheScope"]))
}

/// Moves the marks that Overt moved aside back to where the upstream wrote them.
pub(super) fn marks_moved_back(message: Message) -> Message {
    fn move_back(value: &mut Value) {
        match value {
            Value::Object(members) => {
                members.values_mut().for_each(move_back);
                let Some(Value::Object(meta)) = members.get_mut("_meta") else { return };
                if let Some(Value::Object(theirs)) = meta.remove("dev.overt/upstream") {
                    theirs.into_iter().for_each(|(name, mark)| {
                        meta.entry(name).or_insert(mark);
                    });
                }
            }
            Value::Array(elements) => elements.iter_mut().for_each(move_back),
            _ => {}
        }
    }
    if !message.text().contains("dev.overt/upstream") {
        return message;
    }
    let Ok(mut value) = message.as_json().read::<Value>() else { return message };
    move_back(&mut value);
    Message::parse(value.to_string().into_bytes(), &Limits::default()).unwrap_or(message)
}

fn remove(message: &Message, path: &[&str]) -> Message {
    let path: Vec<_> = std::iter::once("result").chain(path.iter().copied()).map(Member).collect();
    edit::remove_in(message, &path).expect("the way there was walked before")
}
