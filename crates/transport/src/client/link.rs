//! The seam between the conversation and the transport: messages out, messages in.
use overt_wire::era::Version;
use overt_wire::param_headers::HeaderArgument;
use overt_wire::{BoxFuture, Id, Message};

use super::error::ClientError;

/// A transport to one server. Messages that the server sends on its own go to the incoming that the
/// link was created with.
pub(super) trait Link: Send + Sync {
    /// Sends a request and waits for its answer, a result or an error. A link with headers repeats
    /// the `mirrored` arguments of a call in them. If `on_drop` says so, dropping the future
    /// cancels the request in the way of the transport.
    fn ask<'a>(
        &'a self,
        request: &'a Message,
        mirrored: &'a [HeaderArgument],
        on_drop: OnDrop,
    ) -> BoxFuture<'a, Result<Message, ClientError>>;

    /// Sends a notification.
    fn tell<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Result<(), ClientError>>;

    /// Notes the version that both sides have agreed on.
    fn settle(&self, version: Version);

    /// Called when the handshake is over. From here on the server may send messages on its own.
    fn open(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }

    /// Whether requests can be sent.
    fn is_open(&self) -> bool;

    /// Waits for the end of the connection, and returns the reason.
    fn ended(&self) -> BoxFuture<'static, String>;

    /// Whether requests repeat parts of themselves in headers. A server may then report missing
    /// headers.
    fn has_headers(&self) -> bool {
        false
    }

    fn stderr_tail(&self) -> String {
        String::new()
    }

    /// Ends the connection gracefully.
    fn close(&self) -> BoxFuture<'_, ()>;

    /// Ends the connection at once, without waiting. All open requests fail.
    fn abandon(&self);
}

/// What happens to a request whose future is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnDrop {
    /// Cancels the request at the server.
    Cancel,
    /// Sends nothing. It is for the handshake, which must not be cancelled.
    Forget,
}

/// Builds the notification that cancels a request.
pub(super) fn cancelled(id: &Id) -> Message {
    let params =
        overt_wire::json::Object::new().raw("requestId", id.token()).string("reason", "no longer wanted");
    Message::notification("notifications/cancelled", Some(params.finish().as_json()))
}
