//! Modern headers that repeat parts of the body, so that proxies need not parse it. They must match
//! the body, because a program that decides on one and acts on the other could be deceived.
use hyper::HeaderMap;
use overt_wire::era::key;
use overt_wire::error::{ErrorObject, code};
use overt_wire::{Message, ParamHeaders};

use crate::header::{decode, name_of};

const PARAM: &str = "mcp-param-";

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
        // No headers are defined for notifications.
        return Ok(());
    }
    expect(headers, "Mcp-Method", method.name())?;
    match name_of(message) {
        Some(name) => expect(headers, "Mcp-Name", &name),
        None => Ok(()),
    }
}

/// Returns the `Mcp-Param-*` headers, decoded. Only the owner of the tool knows which values they
/// must have.
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

/// The only value of a header. A header that is sent twice is refused, because it could be read in
/// two ways.
fn one(headers: &HeaderMap, name: &str) -> Result<Option<String>, ErrorObject> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(mismatch(&format!("the header `{name}` is sent twice")));
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
    use overt_wire::Id;
    use overt_wire::json::Json;

    use super::*;

    #[test]
    fn http_08_a_task_is_named_by_its_id() {
        let params = r#"{"taskId":"t-1","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#;
        for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
            let request = Message::request(&Id::from(1), method, Some(Json::parse(params).unwrap()));
            let mut headers = HeaderMap::new();
            headers.insert("mcp-protocol-version", "2026-07-28".parse().unwrap());
            headers.insert("mcp-method", method.parse().unwrap());
            assert_eq!(check(&headers, &request).unwrap_err().code, code::HEADER_MISMATCH);
            headers.insert("mcp-name", "another".parse().unwrap());
            assert_eq!(check(&headers, &request).unwrap_err().code, code::HEADER_MISMATCH);
            headers.insert("mcp-name", "t-1".parse().unwrap());
            check(&headers, &request).unwrap();
        }
    }
}
