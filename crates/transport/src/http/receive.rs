//! Reads the message of an HTTP request, within the limits for one message and for all clients
//! together.
use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::{Response, StatusCode};
use overt_wire::error::{ErrorObject, code};
use overt_wire::frame::request_id;
use overt_wire::{Id, Message};
use tokio::time::timeout;

use super::body::{Body, LONG};
use super::endpoint::Endpoint;
use super::response::{error_response, overloaded};
use crate::serve::Charge;

/// A message that was read, and the bytes that it holds until it is answered.
pub(super) struct ReceivedMessage {
    pub(super) message: Message,
    /// `None` for a short message, which is not counted.
    pub(super) held: Option<Charge>,
}

/// The reason for which a body was not read.
enum BodyError {
    /// The message is too long. Contains its id if the beginning has it.
    TooLong(Option<Id>),
    /// The bodies of all clients together are too long.
    TooMany,
    Broken,
}

impl Endpoint {
    /// Reads the body, within the limits for size and time, and parses it.
    pub(super) async fn receive(&self, body: Incoming) -> Result<ReceivedMessage, Box<Response<Body>>> {
        let refuse = |status, error: &ErrorObject| Box::new(error_response(status, None, error));
        let mut held = self.bytes.charge(0);
        let most = self.limits.max_message_bytes;
        let bytes = match timeout(self.limits.body_deadline, collect(body, most, &mut held)).await {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(BodyError::TooLong(id))) => {
                let error = ErrorObject::invalid_request(format!("a message may have at most {most} bytes"));
                return Err(Box::new(error_response(StatusCode::PAYLOAD_TOO_LARGE, id.as_ref(), &error)));
            }
            Ok(Err(BodyError::TooMany)) => {
                let error = "the messages of all clients together are too long; send it again later";
                return Err(Box::new(overloaded(None, error)));
            }
            Ok(Err(BodyError::Broken)) => {
                let error = ErrorObject::new(code::PARSE, "the body could not be read");
                return Err(refuse(StatusCode::BAD_REQUEST, &error));
            }
            Err(_) => {
                let error = ErrorObject::invalid_request("the body took too long to arrive");
                return Err(refuse(StatusCode::REQUEST_TIMEOUT, &error));
            }
        };
        let held = (bytes.len() >= LONG).then_some(held);
        match Message::parse(bytes.into(), &self.limits.json()) {
            Ok(message) => Ok(ReceivedMessage { message, held }),
            Err(reject) => {
                Err(Box::new(error_response(StatusCode::BAD_REQUEST, reject.id.as_ref(), &reject.error)))
            }
        }
    }
}

/// Bytes at the start of a too long message that are searched for its id.
const SCANNED: usize = 64 << 10;

/// The id of a message that is not read to its end. The client waits for an answer with this id
/// (I-12).
fn id_at_beginning(read: &[u8], next: &[u8]) -> Option<Id> {
    let beginning: Vec<u8> = read.iter().chain(next).take(SCANNED).copied().collect();
    request_id(&beginning)
}

async fn collect(mut body: Incoming, most: usize, held: &mut Charge) -> Result<Bytes, BodyError> {
    // A body in one piece is not copied; nearly all bodies are.
    let mut first = Bytes::new();
    let mut joined = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(piece) = frame.map_err(|_| BodyError::Broken)?.into_data() else { continue };
        if first.len().max(joined.len()).saturating_add(piece.len()) > most {
            let read = if joined.is_empty() { &first[..] } else { &joined[..] };
            return Err(BodyError::TooLong(id_at_beginning(read, &piece)));
        }
        if !held.grow(piece.len()) {
            return Err(BodyError::TooMany);
        }
        if first.is_empty() && joined.is_empty() {
            first = piece;
            continue;
        }
        joined.extend_from_slice(&std::mem::take(&mut first));
        joined.extend_from_slice(&piece);
    }
    Ok(if joined.is_empty() { first } else { joined.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// I-12: the search is bounded, even if the id comes late.
    #[test]
    fn i_12_the_id_is_looked_for_at_the_beginning() {
        let found = |read: &str, next: &str| id_at_beginning(read.as_bytes(), next.as_bytes()).is_some();
        assert!(found(r#"{"id":7,"met"#, r#"hod":"x","params":{"#));
        let far = format!(r#"{{"method":"x","params":"{}""#, "x".repeat(SCANNED));
        assert!(!found(&far, r#","id":7}"#));
    }
}
