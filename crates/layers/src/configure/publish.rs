//! Adds the settings schema and the support for policies to a server's first answer (H-14, H-20,
//! X-08, X-09).
use overt_policy::mark::key;
use overt_wire::edit::{self, EditError, Step, Step::Member};
use overt_wire::era::Era;
use overt_wire::json::{Json, Object};
use overt_wire::{Kind, Message};

/// The author of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerAuthor {
    /// One of our servers.
    Ours,
    /// An upstream server.
    Upstream,
}

const SCHEMA: &str = "configSchema";
const CAPABILITIES: [Step<'static>; 2] = [Member("result"), Member("capabilities")];

/// Returns the result of `initialize` or `server/discover` with the schema, if there are settings,
/// and with the support for policies. The schema appears once: in `capabilities.configSchema` in
/// the legacy era, in the extension in the modern era. An upstream's statements about its own
/// settings stay in place. Then Overt's schema goes into the extension, with the upstream's own
/// extension beside it if it has one.
///
/// A bare `true` for policies breaks typed clients. It passes only if `author` is one of our
/// servers, because there the operator asked for it (X-09).
pub fn decorate(
    reply: &Message,
    author: AnswerAuthor,
    era: Era,
    schema: Option<Json<'_>>,
) -> Result<Message, EditError> {
    if reply.kind() != Kind::Result {
        return Ok(reply.clone());
    }
    let enabled = Object::new().raw("enabled", "true").finish();
    let mut reply = reply.clone();
    let policy = reply.result_body().get("capabilities").get("experimental").get("policy");
    let is_readable = policy.value().is_some_and(|policy| policy.is_object() || author == AnswerAuthor::Ours);
    if !is_readable {
        reply = in_capabilities(&reply, &["experimental", "policy"], enabled.as_json())?;
    }
    let Some(schema) = schema else { return Ok(reply) };
    let inner = {
        let result = reply.result_body();
        let capabilities = result.get("capabilities");
        let literal = [result.get(SCHEMA), result.get("configurationSchema"), capabilities.get(SCHEMA)];
        let extension = capabilities.get("extensions").get(key::CONFIG);
        let is_free = extension.is_absent() && literal.iter().all(|theirs| theirs.is_absent());
        if era == Era::Legacy && is_free {
            return in_capabilities(&reply, &[SCHEMA], schema);
        }
        extension.value().map(Json::to_buf)
    };
    let extension = Object::new().json("schema", schema);
    let extension = match &inner {
        Some(inner) => extension.json("upstream", inner.as_json()),
        None => extension,
    };
    in_capabilities(&reply, &["extensions", key::CONFIG], extension.finish().as_json())
}

fn in_capabilities(reply: &Message, path: &[&str], value: Json<'_>) -> Result<Message, EditError> {
    let path: Vec<Step<'_>> = CAPABILITIES.into_iter().chain(path.iter().map(|name| Member(name))).collect();
    edit::set_in(reply, &path, value)
}

#[cfg(test)]
mod tests {
    use overt_wire::json::{JsonBuf, Limits};

    use super::*;

    fn decorated(result: &str, era: Era) -> String {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
        let reply = Message::parse(text.into_bytes(), &Limits::default()).unwrap();
        let schema = JsonBuf::parse(r#"{"type":"object"}"#).unwrap();
        decorate(&reply, AnswerAuthor::Upstream, era, Some(schema.as_json()))
            .unwrap()
            .result_body()
            .value()
            .unwrap()
            .as_str()
            .to_owned()
    }

    #[test]
    fn h_14_h_20_the_schema_and_the_support_of_policies_are_published() {
        assert_eq!(
            decorated(r#"{"capabilities":{"tools":{}}}"#, Era::Legacy),
            r#"{"capabilities":{"tools":{},"experimental":{"policy":{"enabled":true}},"configSchema":{"type":"object"}}}"#
        );
        assert_eq!(
            decorated(r#"{"capabilities":{}}"#, Era::Modern),
            r#"{"capabilities":{"experimental":{"policy":{"enabled":true}},"extensions":{"dev.overt/config":{"schema":{"type":"object"}}}}}"#
        );
    }

    #[test]
    fn what_a_server_behind_us_says_of_itself_stays() {
        assert_eq!(
            decorated(
                r#"{"capabilities":{"experimental":{"policy":{"its":1}}},"configSchema":{"its":1}}"#,
                Era::Legacy
            ),
            r#"{"capabilities":{"experimental":{"policy":{"its":1}},"extensions":{"dev.overt/config":{"schema":{"type":"object"}}}},"configSchema":{"its":1}}"#
        );
        assert_eq!(
            decorated(
                r#"{"capabilities":{"extensions":{"dev.overt/config":{"schema":{"its":1}}}}}"#,
                Era::Modern
            ),
            r#"{"capabilities":{"extensions":{"dev.overt/config":{"schema":{"type":"object"},"upstream":{"schema":{"its":1}}}},"experimental":{"policy":{"enabled":true}}}}"#
        );
    }

    /// X-09: typed clients reject the whole answer if the value is not an object.
    #[test]
    fn x_09_a_bare_true_of_a_server_behind_us_becomes_an_object() {
        for bare in ["true", "false", "null", "\"yes\""] {
            let result = format!(r#"{{"capabilities":{{"experimental":{{"policy":{bare}}}}}}}"#);
            let text = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
            let reply = Message::parse(text.into_bytes(), &Limits::default()).unwrap();
            let said = |author| decorate(&reply, author, Era::Legacy, None).unwrap().text().to_owned();
            assert!(said(AnswerAuthor::Upstream).contains(r#""policy":{"enabled":true}"#), "{bare}");
            if bare != "null" {
                assert_eq!(said(AnswerAuthor::Ours), reply.text(), "the operator asked for it");
            }
        }
    }

    #[test]
    fn an_error_stays_an_error() {
        let error = Message::error(None, &overt_wire::ErrorObject::internal());
        assert_eq!(decorate(&error, AnswerAuthor::Upstream, Era::Legacy, None).unwrap().text(), error.text());
    }
}
