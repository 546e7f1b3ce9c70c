//! A connection that receives the events of one stream of a session.
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::replay::Cursor;
use super::sent_message::Item;
use super::session::Mailbox;

/// The connection of one client to a stream. When it is dropped, events that it did not take wait
/// for the next connection.
pub(super) struct Attached {
    mailbox: Arc<Mailbox>,
    cursor: Cursor,
}

impl Attached {
    /// Connects to a stream, starting with the first event that no connection has taken.
    pub(super) fn to(mailbox: &Arc<Mailbox>, stream: u64) -> Self {
        let cursor = mailbox.streams().attach(stream);
        Self { mailbox: Arc::clone(mailbox), cursor }
    }

    /// Connects to a stream, starting after event `after`. `None` if the stream no longer exists.
    pub(super) fn after(mailbox: &Arc<Mailbox>, stream: u64, after: u64) -> Option<Self> {
        let cursor = mailbox.streams().resume(stream, after)?;
        Some(Self { mailbox: Arc::clone(mailbox), cursor })
    }

    pub(super) async fn next(&mut self) -> Option<Item> {
        poll_fn(|context| self.poll_next(context)).await
    }

    pub(super) fn poll_next(&mut self, context: &Context<'_>) -> Poll<Option<Item>> {
        self.mailbox.streams().poll_next(&mut self.cursor, context)
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.mailbox.streams().detach(&self.cursor);
    }
}
