//! Reads a message strictly, or returns the reason why the text is not one.
use super::{Kind, Message, MessageError, SPACE, method_name};
use crate::error::{ErrorObject, code};
use crate::id::Id;
use crate::json::{self, Fault, FaultKind, Json, Limits, Span};
use crate::refused::PartialEnvelope;

/// The longest method name that is accepted, in bytes.
const MAX_METHOD: usize = 256;

impl Message {
    /// Reads one message strictly.
    pub fn parse(bytes: Vec<u8>, limits: &Limits) -> Result<Self, MessageError> {
        let text =
            json::into_text(bytes, limits).map_err(|(fault, bytes)| MessageError::of(fault, &bytes))?;
        let mut parts = Parts::default();
        json::check_members(&text, limits, |name, value| parts.note(&text[name.range()], value))
            .map_err(|fault| MessageError::of(fault, text.as_bytes()))?;
        parts.into_message(text)
    }
}

impl MessageError {
    /// The refusal of a text that failed the strict check.
    fn of(fault: Fault, bytes: &[u8]) -> Self {
        let code = match fault.kind {
            FaultKind::DuplicateMember | FaultKind::TooLarge | FaultKind::TooManyValues => {
                code::INVALID_REQUEST
            }
            _ => code::PARSE,
        };
        // If the text is JSON that we refuse, its id can be reported. If it is not JSON, it can't.
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
}

/// The positions of the envelope's members, noted while the scanner runs.
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
        // An escaped name (`"m\u0065thod"`) counts as the decoded name, as it does for every other
        // parser.
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

    fn into_message(self, text: String) -> Result<Message, MessageError> {
        let at = |span: Option<Span>| span.map(|span| Json::trusted_part(&text[span.range()]));
        let id_value = at(self.id);
        let id = id_value.and_then(Id::of);
        let reject = |message: &str| MessageError {
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
                return Err(MessageError { error, is_notification: id.is_none(), ..reject("") });
            }
            let kind = if id.is_some() { Kind::Request } else { Kind::Notification };
            let method = method_name(&name);
            return Ok(Message::of_parts(text, kind, id, method, self.params));
        }
        match (self.result, self.error) {
            (Some(_), Some(_)) => Err(reject("an answer has either `result` or `error`, not both")),
            (None, None) => Err(reject("`method` is missing")),
            (Some(_), None) if id.is_none() => Err(reject("an answer needs the `id` of its request")),
            // An error may come without an id, when the peer could not read it.
            (None, Some(_)) if bad_id && !id_value.is_some_and(Json::is_null) => {
                Err(reject("`id` must be a string or an integer of at most 64 bits"))
            }
            (Some(body), None) => Ok(Message::of_parts(text, Kind::Result, id, "".into(), Some(body))),
            (None, Some(body)) => Ok(Message::of_parts(text, Kind::Error, id, "".into(), Some(body))),
        }
    }
}
