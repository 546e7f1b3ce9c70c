//! What a server may want from us while we talk to it.
use overt_wire::json::{Json, JsonBuf};
use overt_wire::{BoxFuture, ErrorObject, Message};

/// Hears notifications and answers questions. All methods have a quiet default.
///
/// `notification`, `noise` and `stderr` are called while nothing else is read from the server, so they must be
/// quick.
pub trait Listener: Send + Sync + 'static {
    /// Progress, log messages, changed lists.
    fn notification(&self, _message: &Message) {}

    /// A question to the client: `elicitation/create`, `sampling/createMessage`, `roots/list`. In the modern
    /// era it arrives inside a result; here it looks the same. Dropping the future means that the server
    /// took its question back, or that the conversation is over.
    fn request<'a>(
        &'a self,
        method: &'a str,
        _params: Option<Json<'a>>,
    ) -> BoxFuture<'a, Result<JsonBuf, ErrorObject>> {
        Box::pin(async move { Err(ErrorObject::method_not_found(method)) })
    }

    /// The first line on a child's standard output that is no protocol message; later ones are only counted.
    /// The text is the server's: escape it before showing it.
    fn noise(&self, _line: &str) {}

    /// A line that a child wrote to its error output; a very long one comes in parts. The text is the server's.
    fn stderr(&self, _line: &str) {}
}

/// Hears nothing and answers no question.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Listener for Silent {}
