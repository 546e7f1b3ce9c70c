//! Writes the queued lines to a server in a separate task, so that a caller that is dropped can't
//! leave half a line behind.
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use overt_wire::frame::one_line;
use overt_wire::{BoxFuture, Id, Message};
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::time::{sleep, timeout};

use super::queue::{NotQueued, Queue};
use crate::client::calls::{Calls, Ending};
use crate::client::incoming::AnswerSink;
use crate::client::link::cancelled;
use crate::limits::Limits;

/// Queues messages for a server's input.
#[derive(Clone)]
pub(super) struct Writer {
    queue: Arc<Queue>,
    /// How long a message that is not a request waits for room.
    patience: Duration,
}

/// How long the reader may take to explain why writing failed.
const EXPLANATION: Duration = Duration::from_millis(700);

impl Writer {
    pub(super) fn start(
        input: impl AsyncWrite + Send + Unpin + 'static,
        calls: Arc<Calls>,
        limits: &Limits,
    ) -> Self {
        let queue = Arc::new(Queue::new(limits));
        tokio::spawn(write_lines(input, Arc::clone(&queue), calls, limits.write_deadline));
        Self { queue, patience: limits.write_deadline }
    }

    /// Queues a request. Waits for room in the queue, not for the server.
    pub(super) async fn send_request(&self, id: &Id, request: &Message) -> Result<(), NotQueued> {
        self.queue.push_request(id, line_of(request)).await
    }

    /// Queues a notification or an answer. Waits for room in the queue, not for the server.
    pub(super) async fn send(&self, message: &Message) -> Result<(), NotQueued> {
        self.queue.push_other(line_of(message), self.patience).await
    }

    /// Cancels a request. The server is told only if the request was written.
    pub(super) fn cancel(&self, id: &Id) {
        self.queue.cancel(id, line_of(&cancelled(id)));
    }

    /// Removes a request that was not written yet. Returns whether it was in the queue.
    pub(super) fn withdraw(&self, id: &Id) -> bool {
        self.queue.withdraw(id)
    }

    /// Writes the lines that are already queued, then closes the stream.
    pub(super) fn close(&self) {
        self.queue.close();
    }
}

impl AnswerSink for Writer {
    fn answer(&self, message: Message) -> BoxFuture<'static, ()> {
        let writer = self.clone();
        Box::pin(async move {
            if let Err(reason) = writer.send(&message).await {
                tracing::debug!(?reason, "an answer to the server was dropped");
            }
        })
    }
}

fn line_of(message: &Message) -> String {
    let mut line = one_line(message.text()).into_owned();
    line.push('\n');
    line
}

async fn write_lines(
    mut input: impl AsyncWrite + Unpin,
    queue: Arc<Queue>,
    calls: Arc<Calls>,
    deadline: Duration,
) {
    while let Some(line) = queue.next().await {
        let mut write = pin!(async {
            input.write_all(line.text.as_bytes()).await?;
            input.flush().await
        });
        let reason = loop {
            match timeout(deadline, &mut write).await {
                Ok(Ok(())) => break None,
                Ok(Err(error)) => break Some(format!("its input can't be written: {error}")),
                // A single-threaded server does not read while it works. Each open call has its own
                // deadline.
                Err(_) if calls.waiting() > queue.unwritten_requests() => {
                    tracing::debug!("the server does not read while it works on a call");
                }
                Err(_) => break Some(format!("the server did not read its input for {deadline:?}")),
            }
        };
        if let Some(reason) = reason {
            queue.close();
            sleep(EXPLANATION).await;
            return calls.close(Ending::of(reason));
        }
    }
}
