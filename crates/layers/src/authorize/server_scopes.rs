//! Scopes that an upstream requests in its answer (seed 002). They are read from where the gateway
//! moved them, and sent back to the upstream when a person has granted them.
use overt_policy::mark::{key, request as mark};
use overt_policy::scope::Scope;
use overt_wire::Message;
use overt_wire::edit::{self, Step};
use overt_wire::json::{Json, JsonBuf, Member};
use overt_wire::text::Untrusted;
use overt_wire::view::CallResult;

/// The most scopes that one answer may request.
const MOST_SCOPES: usize = 10;
/// The most bytes of one such scope.
const LONGEST_SCOPE: usize = 300;

/// Returns the scopes that the upstream lacked to do the call. `None` if it did something, requests
/// nothing, or requests what can't be shown to a person.
pub(super) fn requested(reply: &Message) -> Option<Vec<Scope>> {
    // A text search is cheaper than a parse, and hardly any answer requests scopes.
    if !reply.text().contains(mark::REQUESTED) {
        return None;
    }
    let reply_json = reply.as_json();
    let has_failed = match reply.result_body().value() {
        Some(result) => CallResult(result).is_error(),
        None => reply.error_code().is_some(),
    };
    // A call that had an effect is never made twice.
    if !has_failed {
        return None;
    }
    let error = reply_json.get("error");
    let places = [
        reply_json.get("result").get("_meta"),
        error.get("data").get("_meta"),
        error.get("_meta"),
        reply_json.get("_meta"),
    ];
    let asked = places.into_iter().find_map(|meta| match meta.get(key::UPSTREAM).get(mark::REQUESTED) {
        Member::Value(asked) => Some(asked),
        Member::Absent | Member::Null => None,
    })?;
    let read = read(asked);
    if read.is_none() {
        tracing::debug!(asked = %Untrusted(&asked.as_str().chars().take(200).collect::<String>()),
            "the server asks for scopes that can't be asked for");
    }
    read
}

fn read(asked: Json<'_>) -> Option<Vec<Scope>> {
    let texts: Vec<_> = match asked.string() {
        Some(one) => vec![Some(one)],
        None => asked.elements().take(MOST_SCOPES + 1).map(Json::string).collect(),
    };
    if texts.is_empty() || texts.len() > MOST_SCOPES {
        return None;
    }
    let mut scopes: Vec<Scope> = Vec::with_capacity(texts.len());
    for text in texts {
        let scope = Scope::parse(&text.filter(|text| text.len() <= LONGEST_SCOPE)?).ok()?;
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    Some(scopes)
}

/// Adds these scopes to `_meta.granted_scopes` of the request.
pub(super) fn with_granted(request: Message, scopes: &[Scope]) -> Message {
    if scopes.is_empty() {
        return request;
    }
    let present = request.meta().get(mark::GRANTED[0]).value();
    let mut all: Vec<String> = present
        .into_iter()
        .flat_map(|present| present.elements().chain([present]))
        .filter_map(|scope| scope.string().map(String::from))
        .collect();
    all.extend(scopes.iter().map(ToString::to_string));
    let path = ["params", "_meta", mark::GRANTED[0]].map(Step::Member);
    let all = JsonBuf::from(&serde_json::Value::from(all));
    edit::set_in(&request, &path, all.as_json()).unwrap_or(request)
}

#[cfg(test)]
mod tests {
    use overt_wire::json::Limits;

    use super::*;

    fn message(text: &str) -> Message {
        Message::parse(text.as_bytes().to_vec(), &Limits::default()).unwrap()
    }

    fn asked(reply: &str) -> Option<Vec<String>> {
        let reply = message(&format!(r#"{{"jsonrpc":"2.0","id":1,{reply}}}"#));
        requested(&reply).map(|scopes| scopes.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn h_22_what_an_upstream_asks_for_is_read_where_the_gateway_moved_it() {
        let moved = r#""_meta":{"dev.overt/upstream":{"requested_scopes":["read:file:/x"]}}"#;
        for reply in [
            format!(r#""result":{{"isError":true,{moved}}}"#),
            format!(r#""result":{{"isError":true}},{moved}"#),
            format!(r#""error":{{"code":1,"message":"m","data":{{{moved}}}}}"#),
            format!(r#""error":{{"code":1,"message":"m",{moved}}}"#),
            r#""result":{"isError":true,"_meta":{"dev.overt/upstream":{"requested_scopes":"read:file:/x"}}}"#
                .into(),
        ] {
            assert_eq!(asked(&reply), Some(vec!["read:file:/x".to_owned()]), "{reply}");
        }
        let many = vec!["read:a:b"; 11];
        let long = "x".repeat(LONGEST_SCOPE);
        for reply in [
            format!(r#""result":{{"isError":false,{moved}}}"#),
            r#""result":{"isError":true,"_meta":{"requested_scopes":["read:file:/x"]}}"#.into(),
            format!(
                r#""result":{{"isError":true,"_meta":{{"dev.overt/upstream":{{"requested_scopes":{many:?}}}}}}}"#
            ),
            format!(
                r#""result":{{"isError":true,"_meta":{{"dev.overt/upstream":{{"requested_scopes":["read:a:{long}"]}}}}}}"#
            ),
            r#""result":{"isError":true,"_meta":{"dev.overt/upstream":{"requested_scopes":[1]}}}"#.into(),
            r#""result":{"isError":true,"_meta":{"dev.overt/upstream":{"requested_scopes":[]}}}"#.into(),
        ] {
            assert_eq!(asked(&reply), None, "{reply}");
        }
    }

    #[test]
    fn h_23_granted_scopes_stand_beside_those_that_are_there() {
        let scope = [Scope::parse("read:file:/x").unwrap()];
        for (before, after) in [
            (r#"{"name":"t"}"#, r#"{"name":"t","_meta":{"granted_scopes":["read:file:/x"]}}"#),
            (
                r#"{"name":"t","_meta":{"granted_scopes":["a"],"k":1}}"#,
                r#"{"name":"t","_meta":{"granted_scopes":["a","read:file:/x"],"k":1}}"#,
            ),
        ] {
            let request = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{before}}}"#);
            let granted = with_granted(message(&request), &scope);
            assert_eq!(granted.params().value().unwrap().as_str(), after);
        }
    }
}
