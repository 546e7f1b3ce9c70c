//! The queue of lines to write to a server, bounded in number and in bytes.
use std::sync::Arc;
use std::time::Duration;

use overt_wire::frame::one_line;
use overt_wire::{BoxFuture, Message};
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{sleep, timeout};

use crate::client::calls::{Calls, Ending};
use crate::client::inbox::Outbox;
use crate::limits::Limits;

/// Writing goes through a task, so that a caller who goes away can't leave half a line behind.
#[derive(Clone)]
pub(super) struct Writer {
    queue: mpsc::Sender<Line>,
    room: Arc<Semaphore>,
    max_bytes: usize,
    closing: Arc<Notify>,
}

/// Nothing is written any more.
#[derive(Debug)]
pub(super) struct Stopped;

struct Line {
    text: String,
    _room: OwnedSemaphorePermit,
}

/// How long the reader may take to explain why nothing can be written.
const EXPLANATION: Duration = Duration::from_millis(700);

impl Writer {
    pub(super) fn start(
        input: impl AsyncWrite + Send + Unpin + 'static,
        calls: Arc<Calls>,
        limits: &Limits,
    ) -> Self {
        let (queue, lines) = mpsc::channel(limits.max_queued_messages.max(1));
        let max_bytes = limits.max_queued_bytes.clamp(1, u32::MAX as usize >> 3);
        let room = Arc::new(Semaphore::new(max_bytes));
        let closing = Arc::new(Notify::new());
        tokio::spawn(write_lines(input, lines, Arc::clone(&closing), calls, limits.write_deadline));
        Self { queue, room, max_bytes, closing }
    }

    /// Waits for room in the queue, not for the server.
    pub(super) async fn send(&self, message: &Message) -> Result<(), Stopped> {
        let text = line_of(message);
        let room = Arc::clone(&self.room).acquire_many_owned(self.cost(&text)).await.map_err(|_| Stopped)?;
        self.queue.send(Line { text, _room: room }).await.map_err(|_| Stopped)
    }

    /// For code that can't wait. A server that has not read for so long that there is no room won't miss it.
    pub(super) fn send_now(&self, message: &Message) {
        let text = line_of(message);
        if let Ok(room) = Arc::clone(&self.room).try_acquire_many_owned(self.cost(&text)) {
            let _ = self.queue.try_send(Line { text, _room: room });
        }
    }

    /// Writes what is queued already, then closes the stream.
    pub(super) fn close(&self) {
        self.closing.notify_one();
    }

    /// A message that is larger than the whole queue may go alone.
    fn cost(&self, text: &str) -> u32 {
        u32::try_from(text.len().min(self.max_bytes)).unwrap_or(u32::MAX)
    }
}

impl Outbox for Writer {
    fn answer(&self, message: Message) -> BoxFuture<'static, ()> {
        let writer = self.clone();
        Box::pin(async move {
            let _ = writer.send(&message).await;
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
    mut lines: mpsc::Receiver<Line>,
    closing: Arc<Notify>,
    calls: Arc<Calls>,
    deadline: Duration,
) {
    loop {
        let line = tokio::select! {
            biased;
            line = lines.recv() => line,
            () = closing.notified() => {
                lines.close();
                continue;
            }
        };
        let Some(line) = line else { return };
        let write = async {
            input.write_all(line.text.as_bytes()).await?;
            input.flush().await
        };
        let reason = match timeout(deadline, write).await {
            Ok(Ok(())) => continue,
            Ok(Err(error)) => format!("its input can't be written: {error}"),
            Err(_) => format!("the server did not read its input for {deadline:?}"),
        };
        drop(lines);
        sleep(EXPLANATION).await;
        return calls.close(Ending::of(reason));
    }
}
