//! What a server may send while a conversation with it is open.
use std::time::Duration;

use overt_wire::json::{Json, JsonBuf};
use overt_wire::{BoxFuture, ErrorObject, Id, Message};

/// Receives notifications and answers questions. All methods have a silent default.
///
/// `about` is our request on whose stream a message came; `None` where the transport doesn't tell.
pub trait Listener: Send + Sync + 'static {
    /// Handles a notification: progress, log messages, changed lists. Nothing else is read from the
    /// same stream until the future completes, so a listener can slow down a server that sends too
    /// much.
    fn notification<'a>(&'a self, _message: Message, _about: Option<&'a Id>) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    /// Answers a question to the client: `elicitation/create`, `sampling/createMessage`,
    /// `roots/list`. In the modern era the question arrives inside a result; here it looks the
    /// same. The future is dropped if the server withdraws its question or the conversation ends.
    fn request<'a>(
        &'a self,
        method: &'a str,
        _params: Option<Json<'a>>,
        _about: Option<&'a Id>,
    ) -> BoxFuture<'a, Result<JsonBuf, ErrorObject>> {
        Box::pin(async move { Err(ErrorObject::method_not_found(method)) })
    }

    /// Called when the server closes the stream of a request before its answer. The transport
    /// resumes the stream after `retry`, as the server asked.
    fn paused(&self, _about: &Id, _retry: Duration) {}

    /// Receives the first line on a child's standard output that is not a protocol message; later
    /// ones are only counted. The text is untrusted: escape it before showing it.
    fn noise(&self, _line: &str) {}

    /// Receives a line that a child wrote to its error output; a very long line comes in parts. The
    /// text is untrusted. The error output is not read meanwhile, so this must be fast.
    fn stderr(&self, _line: &str) {}
}

/// Ignores notifications and answers no questions.
#[derive(Debug, Clone, Copy, Default)]
pub struct SilentListener;

impl Listener for SilentListener {}
