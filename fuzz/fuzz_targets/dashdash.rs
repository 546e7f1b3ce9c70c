//! The dashdash objects of third parties: whatever is in them is read or left out, and what was
//! read is stable.
#![no_main]
use libfuzzer_sys::fuzz_target;
use overt_documents::dashdash::{ResourceObject, ServerObject, ToolObject};
use overt_documents::mark;
use overt_wire::json::Json;
use serde_json::{Value, json};

fuzz_target!(|text: &str| {
    let Some(value) = Json::parse(text).ok().and_then(|json| json.read::<Value>().ok()) else { return };
    let (server, _) = ServerObject::read(&value);
    assert_eq!(ServerObject::read(&json!(server)).0, server);
    let (tool, _) = ToolObject::read(&value);
    assert_eq!(ToolObject::read(&json!(tool)).0, tool);
    let (resource, _) = ResourceObject::read(&value);
    assert_eq!(ResourceObject::read(&json!(resource)).0, resource);
    let _ = (mark::read_tool(&value), mark::read_resource(&value));
});
