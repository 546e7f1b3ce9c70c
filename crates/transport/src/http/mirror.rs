//! Headers of the modern era that repeat parts of the body, so that a proxy need not read it. They must say
//! the same as the body: whoever decides on one and acts on the other could be fooled.
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::HeaderMap;
use overt_wire::era::key;
use overt_wire::error::{ErrorObject, code};
use overt_wire::{Message, Method, ParamHeaders};

const PREFIX: &str = "=?base64?";
const SUFFIX: &str = "?=";
const PARAM: &str = "mcp-param-";

/// A value as a header may carry it: as it is, or in base64 between markers.
pub fn encode(value: &str) -> String {
    let plain = value.bytes().all(|byte| matches!(byte, 0x20..=0x7E | b'\t'))
        && value.trim_matches([' ', '\t']) == value
        && !(value.starts_with(PREFIX) && value.ends_with(SUFFIX));
    if plain { value.to_owned() } else { format!("{PREFIX}{}{SUFFIX}", STANDARD.encode(value)) }
}

/// What a header value means, or `None` when its base64 is broken.
pub fn decode(value: &str) -> Option<String> {
    match value.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX)) {
        Some(encoded) => String::from_utf8(STANDARD.decode(encoded).ok()?).ok(),
        None => Some(value.to_owned()),
    }
}

/// Compares the headers of a modern request with its body.
pub(super) fn check(headers: &HeaderMap, message: &Message) -> Result<(), ErrorObject> {
    let version = one(headers, "mcp-protocol-version")?
        .ok_or_else(|| mismatch("the header `MCP-Protocol-Version` is missing"))?;
    if let Some(meant) = message.meta().get(key::PROTOCOL_VERSION).string()
        && version != meant
    {
        return Err(differs("MCP-Protocol-Version", &version, &meant));
    }
    let Some(method) = message.method() else { return Ok(()) };
    if message.id().is_none() {
        // The headers of a notification are not defined.
        return Ok(());
    }
    expect(headers, "Mcp-Method", method.name())?;
    let params = message.params();
    let name = match method {
        Method::ToolsCall | Method::PromptsGet => params.get("name").string(),
        Method::ResourcesRead => params.get("uri").string(),
        // So that a balancer finds the server that has the task.
        Method::TasksGet | Method::TasksUpdate | Method::TasksCancel => params.get("taskId").string(),
        _ => None,
    };
    match name {
        Some(name) => expect(headers, "Mcp-Name", &name),
        None => Ok(()),
    }
}

/// The `Mcp-Param-*` headers, decoded. What they must say only the owner of the tool knows.
pub(super) fn params(headers: &HeaderMap) -> Result<ParamHeaders, ErrorObject> {
    let mut found: Vec<(String, String)> = Vec::new();
    for name in headers.keys() {
        let Some(param) = name.as_str().strip_prefix(PARAM) else { continue };
        let value = one(headers, name.as_str())?.unwrap_or_default();
        let value =
            decode(&value).ok_or_else(|| mismatch(&format!("the header `{name}` is not valid base64")))?;
        found.push((param.to_owned(), value));
    }
    Ok(found.into())
}

fn expect(headers: &HeaderMap, name: &str, meant: &str) -> Result<(), ErrorObject> {
    let value = one(headers, name)?.ok_or_else(|| mismatch(&format!("the header `{name}` is missing")))?;
    let value =
        decode(&value).ok_or_else(|| mismatch(&format!("the header `{name}` is not valid base64")))?;
    if value == meant { Ok(()) } else { Err(differs(name, &value, meant)) }
}

/// The only value of a header. One that stands twice could be read in two ways.
fn one(headers: &HeaderMap, name: &str) -> Result<Option<String>, ErrorObject> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(mismatch(&format!("the header `{name}` stands twice")));
    }
    let text = value
        .to_str()
        .map_err(|_| mismatch(&format!("the header `{name}` has characters that no header may have")))?;
    Ok(Some(text.trim_matches([' ', '\t']).to_owned()))
}

fn differs(name: &str, header: &str, body: &str) -> ErrorObject {
    mismatch(&format!("the header `{name}` says `{header}`, the body says `{body}`"))
}

fn mismatch(message: &str) -> ErrorObject {
    ErrorObject::new(code::HEADER_MISMATCH, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_08_values_survive_the_way_through_a_header() {
        for (value, header) in [
            ("us-west1", "us-west1"),
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
