//! [`Client`]: requests, notifications and lists once both sides have agreed on a version.
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use overt_wire::edit::{self, Step};
use overt_wire::era::{Caller, key};
use overt_wire::error::code;
use overt_wire::json::{Json, JsonBuf, Member, Object};
use overt_wire::param_headers::{HeaderAnnotations, HeaderArgument};
use overt_wire::view::Page;
use overt_wire::{BoxFuture, Id, Message, Method};

use super::core::Core;
use super::error::ClientError;
use super::link::OnDrop;
use super::options::Server;

/// A conversation with one server.
///
/// Dropping it ends the connection at once, and kills a child process with its descendants.
/// [`Client::close`] ends it gracefully.
#[derive(Debug)]
pub struct Client {
    pub(super) core: Arc<Core>,
    pub(super) server: Server,
    /// What every modern request says about this client; `None` in the legacy era.
    pub(super) caller: Option<Caller>,
    /// The arguments that [`Client::request`] repeats in headers, by tool, as the tools were listed
    /// last.
    pub(super) mirrored: Mutex<HashMap<String, Arc<[HeaderArgument]>>>,
}

/// A list may have this many times the maximum bytes of one message.
const LIST_MESSAGES: usize = 4;

impl Client {
    /// Returns what the server said about itself.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Sends a request once and returns the result message unchanged, even if it requires input
    /// (modern). Dropping the future cancels the request.
    pub async fn request_once(&self, method: &str, params: Option<Json<'_>>) -> Result<Message, ClientError> {
        let refused = match self.send(method, params).await {
            Err(ClientError::Refused(error)) if error.code == code::HEADER_MISMATCH => error,
            outcome => return outcome,
        };
        // The tool may have changed since it was listed, or was never listed: list the tools, then
        // try once more.
        let is_call = method == Method::ToolsCall.name() && self.wants_headers();
        if is_call && Box::pin(self.list(Method::ToolsList.name(), "tools")).await.is_ok() {
            tracing::debug!("the server missed headers; its tools were listed again");
            return self.send(method, params).await;
        }
        Err(ClientError::Refused(refused))
    }

    /// Returns an id that no other request of this conversation has, for [`Client::carry`].
    pub fn new_id(&self) -> Id {
        self.core.new_id()
    }

    /// For proxies: sends a request unchanged, with an id of [`Client::new_id`], and returns the
    /// answer unchanged, a result or an error. The proxy knows which arguments of a call must be
    /// `mirrored` in headers. There is no deadline. Dropping the future cancels the request.
    pub async fn carry(
        &self,
        request: &Message,
        mirrored: &[HeaderArgument],
    ) -> Result<Message, ClientError> {
        self.core.carry(request, mirrored, OnDrop::Cancel).await
    }

    /// Whether the server reads headers that repeat parts of a request (modern HTTP). Only such a
    /// server can refuse a request because of its headers, and it has not executed the request
    /// then.
    pub fn wants_headers(&self) -> bool {
        self.core.link.has_headers()
    }

    /// Ends the connection at once. Every open request fails.
    pub fn abandon(&self) {
        self.core.link.abandon();
    }

    /// Whether requests can be sent. False after a child process has ended.
    pub fn is_open(&self) -> bool {
        self.core.link.is_open()
    }

    /// Waits until the connection has ended, and returns the reason. An HTTP server has no
    /// connection that could end.
    pub fn ended(&self) -> BoxFuture<'static, String> {
        self.core.link.ended()
    }

    /// Sends a notification. The modern era defines none over HTTP, so HTTP servers may refuse it.
    pub async fn notify(&self, method: &str, params: Option<Json<'_>>) -> Result<(), ClientError> {
        self.core.link.tell(&Message::notification(method, params)).await
    }

    /// Returns all entries of a list and reads page after page: `list("tools/list", "tools")`.
    pub async fn list(&self, method: &str, member: &str) -> Result<Vec<JsonBuf>, ClientError> {
        let mut items = Vec::new();
        let mut seen = HashSet::new();
        let mut cursor: Option<String> = None;
        let mut room = self.core.limits.max_message_bytes.saturating_mul(LIST_MESSAGES);
        for _ in 0..self.core.limits.max_pages {
            let params = cursor.as_ref().map(|cursor| Object::new().string("cursor", cursor).finish());
            let answer = Box::pin(self.request(method, params.as_ref().map(JsonBuf::as_json))).await?;
            let page = answer
                .result_body()
                .value()
                .map(Page)
                .filter(|page| page.0.get(member).value().is_some_and(Json::is_array));
            let page = page.ok_or_else(|| ClientError::Protocol {
                what: format!("the result of `{method}` has no list `{member}`"),
            })?;
            room = room.checked_sub(answer.text().len()).ok_or_else(|| ClientError::TooLarge {
                what: format!("the list `{method}`"),
                limit: self.core.limits.max_message_bytes.saturating_mul(LIST_MESSAGES),
            })?;
            items.extend(page.items(member).filter(|item| self.is_usable(method, *item)).map(Json::to_buf));
            match page.next_cursor() {
                None => {
                    if self.mirrors(method) {
                        self.note_mirrored(&items);
                    }
                    return Ok(items);
                }
                Some(next) if seen.insert(next.clone().into_owned()) => cursor = Some(next.into_owned()),
                Some(_) => return Err(ClientError::PageLoop { method: method.to_owned() }),
            }
        }
        Err(ClientError::TooManyPages { method: method.to_owned(), limit: self.core.limits.max_pages })
    }

    /// Returns the last error output of a child process; empty for an HTTP server.
    pub fn stderr_tail(&self) -> String {
        self.core.link.stderr_tail()
    }

    /// Ends the conversation: deletes the session, or closes a child's input and waits for it to
    /// exit.
    pub async fn close(self) {
        self.finish().await;
    }

    /// Ends a conversation that other owners may still use. Their requests fail.
    pub async fn finish(&self) {
        self.core.link.close().await;
    }

    /// Sends one request, stamped in the modern era, and checks its result.
    async fn send(&self, method: &str, params: Option<Json<'_>>) -> Result<Message, ClientError> {
        let stamped = match &self.caller {
            Some(caller) => Some(stamp(method, params, caller)?),
            None => None,
        };
        let params = stamped.as_ref().map(JsonBuf::as_json).or(params);
        if params.is_some_and(|params| !params.is_object()) {
            return Err(ClientError::Params { method: method.to_owned() });
        }
        let mirrored = params.and_then(|params| self.mirrored_in(method, params));
        let mirrored = mirrored.as_deref().unwrap_or_default();
        let budget = self.core.limits.request_budget();
        let answer = self.core.ask(method, params, mirrored, budget, OnDrop::Cancel).await?;
        if let Some(caller) = &self.caller {
            check_result_type(method, &answer, caller)?;
        }
        Ok(answer)
    }

    /// Whether a listed item can be used. A tool with invalid header annotations can't be called
    /// over HTTP, so it is not listed either.
    fn is_usable(&self, method: &str, item: Json<'_>) -> bool {
        if !self.mirrors(method) {
            return true;
        }
        let annotations = HeaderAnnotations::of(item.get("inputSchema"));
        if let Err(reason) = annotations.arguments() {
            let tool = item.get("name").string().unwrap_or_default();
            tracing::warn!(?tool, ?reason, "left out a tool with an invalid `x-mcp-header`");
        }
        annotations.arguments().is_ok()
    }

    /// Whether a list has tools whose calls repeat arguments in headers.
    fn mirrors(&self, method: &str) -> bool {
        method == Method::ToolsList.name() && self.wants_headers()
    }

    fn note_mirrored(&self, tools: &[JsonBuf]) {
        let mut mirrored = HashMap::new();
        for tool in tools.iter().map(JsonBuf::as_json) {
            let annotations = HeaderAnnotations::of(tool.get("inputSchema"));
            let arguments = annotations.arguments().unwrap_or_default();
            if let Some(name) = tool.get("name").string().filter(|_| !arguments.is_empty()) {
                mirrored.insert(name.into_owned(), Arc::from(arguments));
            }
        }
        *self.mirrored.lock().unwrap_or_else(PoisonError::into_inner) = mirrored;
    }

    /// Returns the arguments of a request that headers must repeat.
    fn mirrored_in(&self, method: &str, params: Json<'_>) -> Option<Arc<[HeaderArgument]>> {
        let name = params.get("name").string().filter(|_| method == Method::ToolsCall.name())?;
        self.mirrored.lock().unwrap_or_else(PoisonError::into_inner).get(&*name).cloned()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A subscription may still hold the core.
        self.core.link.abandon();
    }
}

/// Adds what a modern request says about its sender to `_meta`. Existing members stay.
pub(super) fn stamp(method: &str, params: Option<Json<'_>>, caller: &Caller) -> Result<JsonBuf, ClientError> {
    let empty = JsonBuf::empty_object();
    let params = params.unwrap_or(empty.as_json());
    let wrong = || ClientError::Params { method: method.to_owned() };
    let given = match params.get("_meta") {
        Member::Value(meta) if !meta.is_object() => return Err(wrong()),
        member => member.value().unwrap_or(empty.as_json()),
    };
    let mut meta = Object::new().members_of(given);
    let ours = caller.to_meta(Object::new()).finish();
    for (name, value) in ours.as_json().members() {
        if given.get(&name.name()).is_absent() {
            meta = meta.json(&name.name(), value);
        }
    }
    edit::set(params, &[Step::Member("_meta")], meta.finish().as_json()).map_err(|_| wrong())
}

/// Refuses a result of an unknown type, which must not be treated as complete (UP-07). Extensions
/// that we declare add types.
fn check_result_type(method: &str, answer: &Message, caller: &Caller) -> Result<(), ClientError> {
    let known = match answer.result_body().get("resultType") {
        // Servers that also speak older versions may omit it.
        Member::Absent => true,
        other => match other.string().as_deref() {
            Some("complete" | "input_required") => true,
            Some("task") => caller.has_extension(key::TASKS),
            _ => false,
        },
    };
    if known {
        return Ok(());
    }
    Err(ClientError::Protocol {
        what: format!("the result of `{method}` has a `resultType` that we don't know"),
    })
}

#[cfg(test)]
mod tests {
    use overt_wire::era::Version;

    use super::*;

    #[test]
    fn stamping_keeps_what_is_there() {
        let caller = Caller {
            version: Version::V2026_07_28,
            capabilities: JsonBuf::empty_object(),
            info: Some(JsonBuf::parse(r#"{"name":"n"}"#).unwrap()),
        };
        let given = r#"{"name":"t","_meta":{"progressToken":1,"io.modelcontextprotocol/clientInfo":{"name":"x"}},"z": 1}"#;
        let stamped = stamp("tools/call", Some(Json::parse(given).unwrap()), &caller).unwrap();
        assert_eq!(
            stamped.as_str(),
            r#"{"name":"t","_meta":{"progressToken":1,"io.modelcontextprotocol/clientInfo":{"name":"x"},"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"z": 1}"#
        );
        assert!(stamp("ping", None, &caller).unwrap().as_str().starts_with(r#"{"_meta":{"#));
        assert!(stamp("x", Some(Json::parse("[]").unwrap()), &caller).is_err());
        assert!(stamp("x", Some(Json::parse(r#"{"_meta":7}"#).unwrap()), &caller).is_err());
    }
}
