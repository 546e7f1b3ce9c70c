//! Converts results of a legacy upstream for a modern client, and errors in both directions.
use std::borrow::Cow;

use overt_wire::edit::{self, Step};
use overt_wire::era::key;
use overt_wire::error::code;
use overt_wire::json::{Json, JsonBuf};
use overt_wire::{Kind, Message, Method};

/// Adds the members that the modern era requires. Existing members are not changed.
pub(crate) fn for_modern(method: Option<Method<'_>>, answer: Message, info: &JsonBuf) -> Message {
    match answer.kind() {
        Kind::Result => result(method, answer, info),
        _ => error(method, answer),
    }
}

fn result(method: Option<Method<'_>>, answer: Message, info: &JsonBuf) -> Message {
    let mut answer = add(answer, &["resultType"], "\"complete\"");
    let may_be_kept = matches!(
        method,
        Some(
            Method::ToolsList
                | Method::PromptsList
                | Method::ResourcesList
                | Method::ResourceTemplatesList
                | Method::ResourcesRead
                | Method::SkillsList
                | Method::SkillsGet
        )
    );
    if may_be_kept {
        answer = add(answer, &["ttlMs"], "0");
        answer = add(answer, &["cacheScope"], "\"private\"");
    }
    add(answer, &["_meta", key::SERVER_INFO], info.as_str())
}

/// Adds a member to the result unless it is already present.
fn add(answer: Message, path: &[&str], value: &str) -> Message {
    let there = answer.result_body().value().is_some_and(|result| !result.at(path).is_absent());
    let Ok(value) = Json::parse(value) else { return answer };
    if there {
        return answer;
    }
    let steps: Vec<Step<'_>> =
        std::iter::once("result").chain(path.iter().copied()).map(Step::Member).collect();
    edit::set_in(&answer, &steps, value).unwrap_or(answer)
}

/// Converts the error code of a resource that does not exist, which differs in the modern era
/// (X-05).
fn error(method: Option<Method<'_>>, answer: Message) -> Message {
    let code = answer.error_body().map(|error| error.code);
    if method != Some(Method::ResourcesRead) || code != Some(code::LEGACY_RESOURCE_NOT_FOUND) {
        return answer;
    }
    let new = code::INVALID_PARAMS.to_string();
    let Ok(new) = Json::parse(&new) else { return answer };
    edit::set_in(&answer, &[Step::Member("error"), Step::Member("code")], new).unwrap_or(answer)
}

/// Converts the error code of a missing resource for a legacy client. The modern era has one code
/// for all invalid parameters, so the error must name the requested resource.
pub(crate) fn for_legacy(request: &Message, answer: Message) -> Message {
    let missing = answer.error_body().is_some_and(|error| {
        let about =
            error.data.as_ref().and_then(|data| data.as_json().get("uri").string().map(Cow::into_owned));
        error.code == code::INVALID_PARAMS
            && about.is_some()
            && about.as_deref() == request.param("uri").string().as_deref()
    });
    let old = code::LEGACY_RESOURCE_NOT_FOUND.to_string();
    match Json::parse(&old) {
        Ok(old) if missing && request.method() == Some(Method::ResourcesRead) => {
            edit::set_in(&answer, &[Step::Member("error"), Step::Member("code")], old).unwrap_or(answer)
        }
        _ => answer,
    }
}

#[cfg(test)]
mod tests {
    use overt_wire::json::Limits;

    use super::*;

    fn dress(method: Method<'_>, text: &str) -> String {
        let answer = Message::parse(text.into(), &Limits::default()).unwrap();
        for_modern(Some(method), answer, &JsonBuf::parse(r#"{"name":"s"}"#).unwrap()).text().to_owned()
    }

    #[test]
    fn only_what_is_missing_is_added() {
        assert_eq!(
            dress(Method::ToolsCall, r#"{ "result" : {"content":[ ]} ,"jsonrpc":"2.0","id":1}"#),
            r#"{ "result" : {"content":[ ],"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s"}}} ,"jsonrpc":"2.0","id":1}"#
        );
        assert_eq!(
            dress(
                Method::ToolsList,
                r#"{"jsonrpc":"2.0","id":1,"result":{"_meta":{"k":1.0},"tools":[],"ttlMs":7}}"#
            ),
            r#"{"jsonrpc":"2.0","id":1,"result":{"_meta":{"k":1.0,"io.modelcontextprotocol/serverInfo":{"name":"s"}},"tools":[],"ttlMs":7,"resultType":"complete","cacheScope":"private"}}"#
        );
    }

    #[test]
    fn x_05_a_missing_resource_has_the_code_of_the_era() {
        let missing = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"m","data":{"uri":"x"}}}"#;
        assert_eq!(dress(Method::ResourcesRead, missing), missing.replace("-32002", "-32602"));
        assert_eq!(dress(Method::ToolsCall, missing), missing);
    }
}
