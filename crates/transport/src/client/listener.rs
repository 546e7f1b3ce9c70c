//! What a server may want from us while we talk to it.
use std::time::Duration;

use overt_wire::json::{Json, JsonBuf};
use overt_wire::{BoxFuture, ErrorObject, Id, Message};

/// Hears notifications and answers questions. All methods have a quiet default.
///
/// `about` is the request of ours on whose stream something came; `None` where the transport
/// doesn't tell.
pub trait Listener: Send + Sync + 'static {
    /// Progress, log messages, changed lists. Nothing else is read from the same stream before the
    /// future is done, so that a listener can hold up a server that sends more than it can take.
    fn notification<'a>(&'a self, _message: Message, _about: Option<&'a Id>) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    /// A question to the client: `elicitation/create`, `sampling/createMessage`, `roots/list`. In
    /// the modern era it arrives inside a result; here it looks the same. Dropping the future means
    /// that the server took its question back, or that the conversation is over.
    fn request<'a>(
        &'a self,
        method: &'a str,
        _params: Option<Json<'a>>,
        _about: Option<&'a Id>,
    ) -> BoxFuture<'a, Result<JsonBuf, ErrorObject>> {
        Box::pin(async move { Err(ErrorObject::method_not_found(method)) })
    }

    /// The server closed the stream of a request before its answer and wants us to come back for
    /// the rest after that time, which we do.
    fn paused(&self, _about: &Id, _retry: Duration) {}

    /// The first line on a child's standard output that is not a protocol message; later ones are
    /// only counted. The text is the server's: escape it before showing it.
    fn noise(&self, _line: &str) {}

    /// A line that a child wrote to its error output; a very long one comes in parts. The text is
    /// the server's. Nothing else is read from there meanwhile, so be quick.
    fn stderr(&self, _line: &str) {}
}

/// Hears nothing and answers no question.
#[derive(Debug, Clone, Copy, Default)]
pub struct SilentListener;

impl Listener for SilentListener {}
