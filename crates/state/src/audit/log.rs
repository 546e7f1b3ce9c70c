//! The audit log as a [`Ledger`] of the layers.
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::thread::{self, JoinHandle};

use overt_layers::audit::{Durability, Entry, Ledger, LedgerError};
use overt_wire::BoxFuture;
use tokio::sync::oneshot;

use super::ack::Acknowledgement;
use super::disk::Disk;
use super::draft::Draft;
use super::error::{AuditError, failed};
use super::keys::Keys;
use super::options::{Arguments, Options};
use super::queue::Queue;
use super::writer::Writer;

/// A log that this process writes. Dropping it writes the waiting entries and closes the log.
#[derive(Debug)]
pub struct AuditLog {
    queue: Arc<Queue>,
    keys: Arc<Keys>,
    arguments: Arguments,
    writer: Arc<Mutex<Writer>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl AuditLog {
    /// Opens the log in the folder, or begins one. Repairs the end of the log after a crash first;
    /// that takes as long as reading the last segment.
    pub fn open(dir: impl AsRef<Path>, options: Options) -> Result<Self, AuditError> {
        let (dir, known) = (dir.as_ref(), options.known_logs.clone());
        let log = Self::open_on(Disk::default(), dir, options)?;
        if let Some(known) = known {
            known.note(dir);
        }
        Ok(log)
    }

    pub(super) fn open_on(disk: Disk, dir: &Path, options: Options) -> Result<Self, AuditError> {
        let dir = dir.to_owned();
        let queue = Arc::new(Queue::new(options.queue_kib));
        let keys = Arc::new(Keys::open(&options.keys)?);
        let arguments = options.arguments;
        let writer = Writer::open(dir.clone(), disk, options, Arc::clone(&keys), Arc::clone(&queue))?;
        let writer = Arc::new(Mutex::new(writer));
        let (closes, its_writer) = (ClosesAtEnd(Arc::clone(&queue)), Arc::clone(&writer));
        let thread = thread::Builder::new()
            .name("audit".to_owned())
            .spawn(move || Writer::run(&its_writer, &closes.0));
        let thread = thread.map_err(|source| failed("start a thread for", &dir, source))?;
        Ok(Self { queue, keys, arguments, writer, thread: Mutex::new(Some(thread)) })
    }

    fn draft(&self, entry: &Entry) -> Draft {
        Draft::of(entry, |call| self.queue.room(call), &self.keys, self.arguments)
    }

    /// Writes the waiting entries and closes the log. Blocks until that is done.
    pub fn close(&self) {
        self.queue.close();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            // A writer that panicked has already reported that.
            let _ = thread.join();
        }
    }
}

impl Ledger for AuditLog {
    fn write(&self, entry: Entry, when: Durability) -> BoxFuture<'_, Result<(), LedgerError>> {
        Box::pin(async move {
            let draft = self.draft(&entry);
            match when {
                Durability::Batched => self.queue.put(draft, None).await,
                Durability::Durable => {
                    let (ack, done) = oneshot::channel();
                    self.queue.put(draft, Some(ack)).await?;
                    if !Writer::write_here(&self.writer, &self.queue) {
                        let wakes = WakesWriter(&self.queue);
                        other_tasks_first().await;
                        drop(wakes);
                    }
                    let answer = done.await.map(Acknowledgement::answer);
                    answer.unwrap_or_else(|_| Err(LedgerError { why: "its writer has ended".to_owned() }))
                }
            }
        })
    }

    fn note(&self, entry: Entry) {
        self.queue.offer(self.draft(&entry));
    }
}

impl Drop for AuditLog {
    fn drop(&mut self) {
        self.close();
    }
}

/// Wakes the writer when it is dropped, even if the task that waits for the writer is cancelled.
struct WakesWriter<'a>(&'a Queue);

impl Drop for WakesWriter<'_> {
    fn drop(&mut self) {
        self.0.wake_writer();
    }
}

/// Lets other ready tasks run first, so that one sync covers what they write too. Costs next to
/// nothing if there are none.
async fn other_tasks_first() {
    let mut is_over = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut is_over, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Closes and empties the queue when the writer ends, even by a panic, so that no call waits
/// forever.
#[derive(Debug)]
struct ClosesAtEnd(Arc<Queue>);

impl Drop for ClosesAtEnd {
    fn drop(&mut self) {
        self.0.close();
        while !self.0.take().is_empty() {}
    }
}
