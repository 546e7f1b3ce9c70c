//! One JSON-RPC message: its exact text, and where the parts are.
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::error::{ErrorObject, code};
use crate::id::Id;
use crate::json::{self, Fault, FaultKind, Json, JsonBuf, Limits, Member, Members, Object, Span};
use crate::method::Method;
use crate::refused::PartialEnvelope;

/// A message as it came or as we wrote it. Nothing changes it but [`crate::edit`].
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    /// Shared, so that what is written down of a message can be made when it is sent already.
    text: Arc<String>,
    kind: Kind,
    id: Option<Id>,
    /// The method name as it means, for requests and notifications.
    method: Box<str>,
    /// Where `params`, `result` or `error` is; which one the kind says.
    body: Option<Span>,
}

/// The four kinds of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Request,
    Notification,
    Result,
    Error,
}

/// Why a text is not a message, and what to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reject {
    pub error: ErrorObject,
    pub id: Option<Id>,
    /// A broken answer is never answered: two peers would answer each other for ever.
    pub looks_like_response: bool,
    /// A notification is never answered, even if its `params` are wrong.
    pub is_notification: bool,
}

// === impl Message ===

impl Message {
    /// Reads one message strictly.
    pub fn parse(bytes: Vec<u8>, limits: &Limits) -> Result<Self, Reject> {
        let text = json::into_text(bytes, limits).map_err(|(fault, bytes)| Reject::of(fault, &bytes))?;
        let mut parts = Parts::default();
        json::check_members(&text, limits, |name, value| parts.note(&text[name.range()], value))
            .map_err(|fault| Reject::of(fault, text.as_bytes()))?;
        parts.into_message(text)
    }

    pub fn request(id: &Id, method: &str, params: Option<Json<'_>>) -> Self {
        let start = envelope(params).raw("id", id.token()).string("method", method);
        Self::assemble(Kind::Request, Some(id.clone()), method, start, "params", params)
    }

    pub fn notification(method: &str, params: Option<Json<'_>>) -> Self {
        let start = envelope(params).string("method", method);
        Self::assemble(Kind::Notification, None, method, start, "params", params)
    }

    pub fn result(id: &Id, result: Json<'_>) -> Self {
        let start = envelope(Some(result)).raw("id", id.token());
        Self::assemble(Kind::Result, Some(id.clone()), "", start, "result", Some(result))
    }

    /// A result message made of a result that the caller owns, without a copy if the buffer has
    /// room.
    pub fn result_from(id: &Id, result: JsonBuf) -> Self {
        let mut text = result.into_string();
        let start = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":", id.token());
        text.reserve(Self::ENVELOPE + id.token().len());
        text.insert_str(0, &start);
        let body = Span::new(start.len(), text.len());
        text.push('}');
        Self {
            text: Arc::new(text),
            kind: Kind::Result,
            id: Some(id.clone()),
            method: "".into(),
            body: Some(body),
        }
    }

    /// Bytes around a result, and some for what is said about it on its way.
    pub const ENVELOPE: usize = 512;

    /// An error answer. Without an id when the request's id could not be read: MCP's schemas allow
    /// no null there, unlike JSON-RPC.
    pub fn error(id: Option<&Id>, error: &ErrorObject) -> Self {
        let error = error.to_json();
        let start = envelope(Some(error.as_json()));
        let start = match id {
            Some(id) => start.raw("id", id.token()),
            None => start,
        };
        Self::assemble(Kind::Error, id.cloned(), "", start, "error", Some(error.as_json()))
    }

    fn assemble(
        kind: Kind,
        id: Option<Id>,
        method: &str,
        start: Object,
        name: &str,
        body: Option<Json<'_>>,
    ) -> Self {
        let (text, body) = match body {
            Some(body) => {
                let text = start.json(name, body).finish().into_string();
                let end = text.len() - 1;
                (text, Some(Span::new(end - body.as_str().len(), end)))
            }
            None => (start.finish().into_string(), None),
        };
        Self { text: Arc::new(text), kind, id, method: method.into(), body }
    }

    /// Replaces a part of the body. The text is copied only if it is shared.
    pub(crate) fn with_change(mut self, old: Range<usize>, new: &str) -> Self {
        let (removed, added) = (old.len(), new.len());
        Arc::make_mut(&mut self.text).replace_range(old, new);
        self.body = self.body.map(|body| {
            let Range { start, end } = body.range();
            Span::new(start, end + added - removed)
        });
        self
    }

    /// Gives the message another id and keeps every other byte. A message without an id gets it as
    /// its last member.
    #[must_use]
    pub fn readdressed(self, id: &Id) -> Self {
        let (old, new) = self.place_of_id(id);
        let mut text = String::with_capacity(self.text.len() - old.len() + new.len());
        text.push_str(&self.text[..old.start]);
        text.push_str(&new);
        text.push_str(&self.text[old.end..]);
        let body = self.body.map(|span| {
            let Range { start, end } = span.range();
            let moved = |at: usize| if start >= old.end { at - old.len() + new.len() } else { at };
            Span::new(moved(start), moved(end))
        });
        // A notification with an id would be a request.
        debug_assert!(self.kind != Kind::Notification, "a notification has no id");
        Self { text: Arc::new(text), id: Some(id.clone()), body, ..self }
    }

    /// Which part of the text has to be replaced to set the id, and by what.
    fn place_of_id<'a>(&self, id: &'a Id) -> (Range<usize>, Cow<'a, str>) {
        let start = self.text.len() - self.text.trim_start_matches(SPACE).len();
        let mut members = Members::of(&self.text[start..]);
        let mut end = start + 1;
        while let Some(member) = members.next_start() {
            end = start + members.skip_value();
            if member.key.is("id") {
                return (start + member.value..end, id.token().into());
            }
        }
        (end..end, format!(",\"id\":{}", id.token()).into())
    }

    /// The exact text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The exact text, copied only if it is shared.
    pub fn into_text(self) -> String {
        Arc::unwrap_or_clone(self.text)
    }

    pub fn as_json(&self) -> Json<'_> {
        Json::trusted_part(self.text.trim_matches(SPACE))
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    pub fn id(&self) -> Option<&Id> {
        self.id.as_ref()
    }

    /// The method of a request or notification; an answer has none.
    pub fn method(&self) -> Option<Method<'_>> {
        matches!(self.kind, Kind::Request | Kind::Notification).then(|| Method::of(&self.method))
    }

    pub fn params(&self) -> Member<'_> {
        self.body_if(matches!(self.kind, Kind::Request | Kind::Notification))
    }

    /// The `_meta` member of `params`.
    pub fn meta(&self) -> Member<'_> {
        self.params().get("_meta")
    }

    /// The result of a successful answer.
    pub fn result_body(&self) -> Member<'_> {
        self.body_if(self.kind == Kind::Result)
    }

    /// The error of a failed answer.
    pub fn error_body(&self) -> Option<ErrorObject> {
        let error = self.body_if(self.kind == Kind::Error).value()?;
        Some(ErrorObject {
            code: self.error_code()?,
            message: error.get("message").string().unwrap_or_default().into_owned(),
            data: error.get("data").value().map(Json::to_buf),
        })
    }

    /// The code of a failed answer.
    pub fn error_code(&self) -> Option<i64> {
        let error = self.body_if(self.kind == Kind::Error).value()?;
        Some(error.get("code").value().and_then(Json::integer).unwrap_or(code::INTERNAL))
    }

    /// Whether a range of the text lies inside the brackets of the body.
    pub(crate) fn is_inside_body(&self, range: &Range<usize>) -> bool {
        self.body.map(Span::range).is_some_and(|body| body.start < range.start && range.end < body.end)
    }

    fn body_if(&self, wanted: bool) -> Member<'_> {
        match self.body {
            Some(span) if wanted => Member::of(Json::trusted_part(&self.text[span.range()])),
            _ => Member::Absent,
        }
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn envelope(body: Option<Json<'_>>) -> Object {
    let room = body.map_or(0, |body| body.as_str().len()) + 96;
    Object::with_capacity(room).string("jsonrpc", "2.0")
}

// === impl Reject ===

impl Reject {
    /// The refusal of a text that failed the strict check.
    fn of(fault: Fault, bytes: &[u8]) -> Self {
        let code = match fault.kind {
            FaultKind::DuplicateMember | FaultKind::TooLarge | FaultKind::TooManyValues => {
                code::INVALID_REQUEST
            }
            _ => code::PARSE,
        };
        // Where the text is JSON that we don't want, its id can be told; where it is none, it
        // can't.
        let has_id = matches!(
            fault.kind,
            FaultKind::DuplicateMember
                | FaultKind::TooManyValues
                | FaultKind::TooDeep
                | FaultKind::LoneSurrogate
        );
        let partial = PartialEnvelope::at(bytes);
        Self {
            error: ErrorObject::new(code, format!("refused the message: {fault}")),
            looks_like_response: partial.looks_like_response(),
            is_notification: false,
            id: partial.id.filter(|_| has_id),
        }
    }

    /// The answer to send, if one may be sent.
    pub fn answer(&self) -> Option<Message> {
        (!self.looks_like_response && !self.is_notification)
            .then(|| Message::error(self.id.as_ref(), &self.error))
    }
}

/// The members of the envelope as the scanner meets them.
#[derive(Default)]
struct Parts {
    jsonrpc: Option<Span>,
    id: Option<Span>,
    method: Option<Span>,
    params: Option<Span>,
    result: Option<Span>,
    error: Option<Span>,
}

impl Parts {
    fn note(&mut self, name: &str, value: Span) {
        // An escaped name (`"m\u0065thod"`) counts as what it means, as it does for every other
        // reader.
        let slot = match &*json::unescape(name) {
            "jsonrpc" => &mut self.jsonrpc,
            "id" => &mut self.id,
            "method" => &mut self.method,
            "params" => &mut self.params,
            "result" => &mut self.result,
            "error" => &mut self.error,
            _ => return,
        };
        *slot = Some(value);
    }

    fn looks_like_response(&self) -> bool {
        self.method.is_none() && (self.result.is_some() || self.error.is_some())
    }

    fn into_message(self, text: String) -> Result<Message, Reject> {
        let at = |span: Option<Span>| span.map(|span| Json::trusted_part(&text[span.range()]));
        let id_value = at(self.id);
        let id = id_value.and_then(Id::of);
        let reject = |message: &str| Reject {
            error: ErrorObject::invalid_request(message),
            id: id.clone(),
            looks_like_response: self.looks_like_response(),
            is_notification: false,
        };
        let first = text.trim_start_matches(SPACE).as_bytes().first().copied();
        if first == Some(b'[') {
            return Err(reject("batches are not part of this protocol; send one message at a time"));
        }
        if first != Some(b'{') {
            return Err(reject("a message is a JSON object"));
        }
        if at(self.jsonrpc).and_then(Json::string).as_deref() != Some("2.0") {
            return Err(reject("`jsonrpc` must be the string \"2.0\""));
        }
        let bad_id = id_value.is_some() && id.is_none();
        if let Some(method) = at(self.method) {
            if self.result.is_some() || self.error.is_some() {
                return Err(reject(
                    "a message has either `method`, `result` or `error`, and only one of them",
                ));
            }
            if bad_id {
                return Err(reject("`id` must be a string or an integer of at most 64 bits"));
            }
            let Some(name) = method.string().filter(|name| !name.is_empty() && name.len() <= MAX_METHOD)
            else {
                return Err(reject("`method` must be a string of 1 to 256 bytes"));
            };
            if at(self.params).is_some_and(|params| !params.is_object() && !params.is_null()) {
                let error = ErrorObject::invalid_params("`params` must be an object");
                return Err(Reject { error, is_notification: id.is_none(), ..reject("") });
            }
            let kind = if id.is_some() { Kind::Request } else { Kind::Notification };
            let method = name.into();
            return Ok(Message { kind, id, method, body: self.params, text: Arc::new(text) });
        }
        match (self.result, self.error) {
            (Some(_), Some(_)) => Err(reject("an answer has either `result` or `error`, not both")),
            (None, None) => Err(reject("`method` is missing")),
            (Some(_), None) if id.is_none() => Err(reject("an answer needs the `id` of its request")),
            // An error may come without an id, when the peer could not read it.
            (None, Some(_)) if bad_id && !id_value.is_some_and(Json::is_null) => {
                Err(reject("`id` must be a string or an integer of at most 64 bits"))
            }
            (Some(body), None) => Ok(Message {
                kind: Kind::Result,
                id,
                method: "".into(),
                body: Some(body),
                text: Arc::new(text),
            }),
            (None, Some(body)) => Ok(Message {
                kind: Kind::Error,
                id,
                method: "".into(),
                body: Some(body),
                text: Arc::new(text),
            }),
        }
    }
}

/// The longest method name that is recognized.
const MAX_METHOD: usize = 256;
const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];
