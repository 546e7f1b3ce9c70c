//! The seam between the conversation and the way the bytes go: raw messages out, messages in.
use overt_wire::era::Version;
use overt_wire::json::Json;
use overt_wire::{BoxFuture, Id, Message};

use super::error::ClientError;

/// A way to a server. What the server sends on its own goes to the inbox that the link was made with.
pub(super) trait Link: Send + Sync {
    /// Sends a request and waits for its answer, a result or an error. Dropping the future takes the request
    /// back in the way of the transport, if `on_drop` says so.
    fn ask<'a>(
        &'a self,
        request: &'a Message,
        on_drop: OnDrop,
    ) -> BoxFuture<'a, Result<Message, ClientError>>;

    /// Sends a notification.
    fn tell<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Result<(), ClientError>>;

    /// Both sides have agreed on a version.
    fn settle(&self, version: Version);

    /// The handshake is over: the server may send on its own from here on.
    fn open(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }

    /// Whether a tool may be used over this link; if not, the reason.
    fn check_tool(&self, _tool: Json<'_>) -> Result<(), String> {
        Ok(())
    }

    /// Whether a request can be sent at all.
    fn is_open(&self) -> bool;

    /// Waits for the connection to end, and says why it did.
    fn ended(&self) -> BoxFuture<'static, String>;

    /// Whether requests repeat parts of themselves in headers, which a server may miss.
    fn has_headers(&self) -> bool {
        false
    }

    fn stderr_tail(&self) -> String {
        String::new()
    }

    /// Ends the connection in the polite way.
    fn close(&self) -> BoxFuture<'_, ()>;

    /// Ends it at once, without waiting: everything that still waits fails.
    fn abandon(&self);
}

/// What happens to a request whose caller has gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnDrop {
    /// The server is told that the request is cancelled.
    Cancel,
    /// Nothing is said: for the handshake, which must not be cancelled.
    Forget,
}

/// The message that takes a request back.
pub(super) fn cancelled(id: &Id) -> Message {
    let params =
        overt_wire::json::Object::new().raw("requestId", id.token()).string("reason", "no longer wanted");
    Message::notification("notifications/cancelled", Some(params.finish().as_json()))
}
