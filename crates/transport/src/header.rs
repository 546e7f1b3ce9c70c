//! HTTP headers that repeat parts of a modern message: the encoding of their values, and the part
//! that names the message. Both the server and the client use them.
use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use overt_wire::{Message, Method};

const PREFIX: &str = "=?base64?";
const SUFFIX: &str = "?=";

/// Encodes a value for a header: as it is if possible, otherwise in Base64 between two marks.
pub fn encode(value: &str) -> Cow<'_, str> {
    let plain = value.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
    let padded = value.starts_with([' ', '\t']) || value.ends_with([' ', '\t']);
    let looks_encoded = value.starts_with(PREFIX) && value.ends_with(SUFFIX);
    if plain && !padded && !looks_encoded {
        return Cow::Borrowed(value);
    }
    Cow::Owned(format!("{PREFIX}{}{SUFFIX}", STANDARD.encode(value)))
}

/// Decodes a header value. Returns `None` if its Base64 is invalid.
pub fn decode(value: &str) -> Option<String> {
    match value.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX)) {
        Some(encoded) => String::from_utf8(STANDARD.decode(encoded).ok()?).ok(),
        None => Some(value.to_owned()),
    }
}

/// The `Mcp-Name` of a message: the tool, prompt, resource or task that it names.
pub(crate) fn name_of(message: &Message) -> Option<Cow<'_, str>> {
    let member = match message.method()? {
        Method::ToolsCall | Method::PromptsGet => "name",
        Method::ResourcesRead => "uri",
        // With the task's id, a load balancer can find the server that has the task.
        Method::TasksGet | Method::TasksUpdate | Method::TasksCancel => "taskId",
        _ => return None,
    };
    message.param(member).string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_08_values_survive_the_way_through_a_header() {
        for (value, header) in [
            ("us-west1", "us-west1"),
            ("two words", "two words"),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
            ("", ""),
        ] {
            assert_eq!(encode(value), header);
            assert_eq!(decode(header).as_deref(), Some(value));
        }
        assert_eq!(decode("=?base64?!!?="), None);
        assert_eq!(decode("=?BASE64?IHBhZGRlZCA=?=").as_deref(), Some("=?BASE64?IHBhZGRlZCA=?="));
    }
}
