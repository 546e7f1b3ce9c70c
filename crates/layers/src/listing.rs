//! Fetches lists of a server on behalf of a caller: each caller sees what it may use.
use overt_policy::mark::request as mark;
use overt_wire::era::{Era, key};
use overt_wire::error::code;
use overt_wire::json::{Json, JsonBuf, Object};
use overt_wire::view::Page;
use overt_wire::{BoxFuture, ErrorObject, Exchange, Id, Message, Method};

/// The most entries that are read of one list.
const MOST_ENTRIES: usize = 10_000;
const MOST_PAGES: usize = 1_000;

/// Fetches all pages of a list. A server without the method has no entries.
pub async fn list<'a>(
    call: impl Fn(Exchange) -> BoxFuture<'a, Option<Message>>,
    asker: &Exchange,
    method: Method<'_>,
    member: &str,
) -> Result<Vec<JsonBuf>, ErrorObject> {
    let mut entries = Vec::new();
    let mut cursor: Option<String> = None;
    for _ in 0..MOST_PAGES {
        let Some(answer) = call(request(asker, method, cursor.as_deref())).await else { break };
        if let Some(error) = answer.error_body() {
            return if error.code == code::METHOD_NOT_FOUND { Ok(entries) } else { Err(error) };
        }
        let Some(body) = answer.result_body().value() else { break };
        let room = MOST_ENTRIES - entries.len();
        entries.extend(Page(body).items(member).take(room).map(Json::to_buf));
        match Page(body).next_cursor() {
            Some(next) if entries.len() < MOST_ENTRIES => cursor = Some(next.into_owned()),
            _ => break,
        }
    }
    Ok(entries)
}

/// Builds a request of our own that has the caller's rights.
pub(crate) fn request(asker: &Exchange, method: Method<'_>, cursor: Option<&str>) -> Exchange {
    let params = Object::new().maybe("cursor", cursor);
    let params = match asker.caller.era() {
        Era::Legacy => match policy(asker) {
            Some(policy) => params.json("_meta", policy.as_json()),
            None => params,
        },
        Era::Modern => params.json("_meta", meta(asker).as_json()),
    };
    let message = Message::request(&Id::from(0), method.name(), Some(params.finish().as_json()));
    Exchange { message, param_headers: None, ..asker.clone() }
}

/// Returns the caller's identity and everything else that it sends with every request, such as the
/// handle of its session. Members that belong to the caller's current request are left out.
fn meta(asker: &Exchange) -> JsonBuf {
    let own = [
        key::PROTOCOL_VERSION,
        key::CLIENT_CAPABILITIES,
        key::CLIENT_INFO,
        key::PROGRESS_TOKEN,
        mark::PREVIEW,
    ];
    let said = asker.message.meta().value().into_iter().flat_map(Json::members);
    let more = said.filter(|(name, _)| !own.contains(&&*name.name()));
    let meta = asker.caller.to_meta(Object::new());
    more.fold(meta, |meta, (name, value)| meta.json(&name.name(), value)).finish()
}

/// Returns the policy under which a legacy client asked. The list must not show more than that
/// policy allows.
fn policy(asker: &Exchange) -> Option<JsonBuf> {
    let said = asker.message.meta();
    let policy = said.get(mark::POLICY).value()?;
    let meta = Object::new().json(mark::POLICY, policy);
    Some(match said.get(mark::POLICY_SOURCE).value() {
        Some(source) => meta.json(mark::POLICY_SOURCE, source).finish(),
        None => meta.finish(),
    })
}
