//! One JSON-RPC message: its exact text, and the positions of its parts.
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::error::{ErrorObject, code};
use crate::id::Id;
use crate::json::{Json, JsonBuf, Member, Members, Object, Span};
use crate::method::Method;

mod parse; // reading a message, or the reason why a text is not one

/// A message exactly as it was received or written. Only [`crate::edit`] changes it.
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    /// Shared, so that a record of the message can be prepared while the message is already being
    /// sent.
    text: Arc<String>,
    kind: Kind,
    id: Option<Id>,
    /// The decoded method name of a request or notification. Empty for an answer.
    method: Cow<'static, str>,
    /// The position of `params`, `result` or `error`, depending on the kind.
    body: Option<Span>,
    params: ParamSpans,
}

/// The members of `params` that every layer reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct ParamSpans {
    meta: Option<Span>,
    name: Option<Span>,
    arguments: Option<Span>,
    /// Whether there are other members.
    has_others: bool,
}

/// The four kinds of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Request,
    Notification,
    Result,
    Error,
}

/// Why a text is not a message, and what to answer to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageError {
    pub error: ErrorObject,
    pub id: Option<Id>,
    /// A malformed answer is never answered, because two peers would answer each other forever.
    pub looks_like_response: bool,
    /// A notification is never answered, even if its `params` are invalid.
    pub is_notification: bool,
}

// === impl Message ===

impl Message {
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

    /// Builds a result message from a result that the caller owns. It allocates nothing if the
    /// buffer has room.
    pub fn result_from(id: &Id, result: JsonBuf) -> Self {
        let mut text = result.into_string();
        let start = ["{\"jsonrpc\":\"2.0\",\"id\":", id.token(), ",\"result\":"].concat();
        if text.capacity() - text.len() <= start.len() {
            text.reserve(start.len() + Self::ENVELOPE);
        }
        text.insert_str(0, &start);
        let body = Span::new(start.len(), text.len());
        text.push('}');
        Self::of_parts(text, Kind::Result, Some(id.clone()), Cow::Borrowed(""), Some(body))
    }

    /// Bytes around a result, with room for annotations that layers add later.
    pub const ENVELOPE: usize = 512;

    /// Builds an error answer. It has no id when the request's id could not be read, because MCP's
    /// schemas, unlike JSON-RPC, do not allow a null id.
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
        Self::of_parts(text, kind, id, method_name(method), body)
    }

    fn of_parts(
        text: String,
        kind: Kind,
        id: Option<Id>,
        method: Cow<'static, str>,
        body: Option<Span>,
    ) -> Self {
        Self { text: Arc::new(text), kind, id, method, body, params: ParamSpans::default() }
            .with_params_found()
    }

    fn with_params_found(mut self) -> Self {
        self.params = match (self.kind, self.body) {
            (Kind::Request | Kind::Notification, Some(body)) => ParamSpans::of(&self.text, body),
            _ => ParamSpans::default(),
        };
        self
    }

    /// Replaces a part of the body. The text is copied only if it is shared.
    pub(crate) fn with_change(mut self, old: Range<usize>, new: &str) -> Self {
        let (removed, added) = (old.len(), new.len());
        Arc::make_mut(&mut self.text).replace_range(old, new);
        self.body = self.body.map(|body| {
            let Range { start, end } = body.range();
            Span::new(start, end + added - removed)
        });
        self.with_params_found()
    }

    /// Gives the message another id and keeps every other byte. If the message has no id, the id
    /// becomes its last member.
    #[must_use]
    pub fn readdressed(self, id: &Id) -> Self {
        let (old, new) = self.place_of_id(id);
        let mut text = String::with_capacity(self.text.len() - old.len() + new.len());
        text.push_str(&self.text[..old.start]);
        text.push_str(&new);
        text.push_str(&self.text[old.end..]);
        let moved = |span: Span| {
            let Range { start, end } = span.range();
            let moved = |at: usize| if start >= old.end { at - old.len() + new.len() } else { at };
            Span::new(moved(start), moved(end))
        };
        let body = self.body.map(moved);
        // A notification with an id would be a request.
        debug_assert!(self.kind != Kind::Notification, "a notification has no id");
        let params = self.params.map(moved);
        Self { text: Arc::new(text), id: Some(id.clone()), body, params, ..self }
    }

    /// The range of the text to replace in order to set the id, and the replacement.
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

    /// The method of a request or notification; `None` for an answer.
    pub fn method(&self) -> Option<Method<'_>> {
        matches!(self.kind, Kind::Request | Kind::Notification).then(|| Method::of(&self.method))
    }

    pub fn params(&self) -> Member<'_> {
        self.body_if(matches!(self.kind, Kind::Request | Kind::Notification))
    }

    /// The `_meta` member of `params`.
    pub fn meta(&self) -> Member<'_> {
        self.part(self.params.meta)
    }

    /// The `name` member of `params`: the name of a tool or a prompt.
    pub fn name(&self) -> Member<'_> {
        self.part(self.params.name)
    }

    /// The `arguments` member of `params`.
    pub fn arguments(&self) -> Member<'_> {
        self.part(self.params.arguments)
    }

    /// A member of `params`.
    #[inline]
    pub fn param(&self, name: &str) -> Member<'_> {
        match name {
            "_meta" => self.meta(),
            "name" => self.name(),
            "arguments" => self.arguments(),
            // Few requests have other members, so most searches are spared.
            _ if self.params.has_others => self.params().get(name),
            _ => Member::Absent,
        }
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

    /// The error code of a failed answer.
    pub fn error_code(&self) -> Option<i64> {
        let error = self.body_if(self.kind == Kind::Error).value()?;
        Some(error.get("code").value().and_then(Json::integer).unwrap_or(code::INTERNAL))
    }

    /// Whether a range of the text lies inside the brackets of the body.
    pub(crate) fn is_inside_body(&self, range: &Range<usize>) -> bool {
        self.body.map(Span::range).is_some_and(|body| body.start < range.start && range.end < body.end)
    }

    fn body_if(&self, wanted: bool) -> Member<'_> {
        self.part(self.body.filter(|_| wanted))
    }

    fn part(&self, span: Option<Span>) -> Member<'_> {
        span.map_or(Member::Absent, |span| Member::of(Json::trusted_part(&self.text[span.range()])))
    }
}

impl ParamSpans {
    fn of(text: &str, params: Span) -> Self {
        let start = params.range().start;
        let mut members = Members::of(&text[params.range()]);
        let mut found = Self::default();
        while let Some(member) = members.next_start() {
            let end = members.skip_value();
            let span = Some(Span::new(start + member.value, start + end));
            match () {
                () if member.key.is("_meta") => found.meta = span,
                () if member.key.is("name") => found.name = span,
                () if member.key.is("arguments") => found.arguments = span,
                () => found.has_others = true,
            }
        }
        found
    }

    fn map(self, moved: impl Fn(Span) -> Span) -> Self {
        Self {
            meta: self.meta.map(&moved),
            name: self.name.map(&moved),
            arguments: self.arguments.map(&moved),
            ..self
        }
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Returns the name of a method. Most methods are known, and need no memory of their own.
fn method_name(name: &str) -> Cow<'static, str> {
    match Method::of(name).as_static() {
        Some(known) => Cow::Borrowed(known.name()),
        None => Cow::Owned(name.to_owned()),
    }
}

fn envelope(body: Option<Json<'_>>) -> Object {
    let room = body.map_or(0, |body| body.as_str().len()) + 96;
    Object::with_capacity(room).string("jsonrpc", "2.0")
}

// === impl MessageError ===

impl MessageError {
    /// The answer to send, if one may be sent.
    pub fn answer(&self) -> Option<Message> {
        (!self.looks_like_response && !self.is_notification)
            .then(|| Message::error(self.id.as_ref(), &self.error))
    }
}

const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];
