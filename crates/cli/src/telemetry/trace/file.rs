//! The trace file and the thread that writes it. The conversation never waits for the file:
//! messages that the queue cannot hold are dropped and counted, and the file reports the count.
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant, SystemTime};

use overt_wire::json::Object;
use overt_wire::rfc3339::format_millis;

use crate::error::{CommandError, user_error};

/// Maximum number of lines, and of bytes, that wait to be written.
const MAX_QUEUED_LINES: usize = 4096;
const MAX_QUEUED_BYTES: usize = 8 << 20;
/// Maximum size of the file in bytes; messages beyond that are dropped.
const MAX_FILE: u64 = 1 << 30;
/// Maximum time that the end of the process waits for the last lines.
const LAST_LINES: Duration = Duration::from_secs(2);

/// An open trace file.
#[derive(Debug)]
pub(crate) struct TraceFile {
    pub(super) queue: Queue,
}

/// The queue of the writing thread.
#[derive(Debug, Clone)]
pub(super) struct Queue {
    lines: SyncSender<Item>,
    waiting: Arc<AtomicUsize>,
    drops: Arc<DropCounts>,
}

/// Number of messages missing from the file.
#[derive(Debug, Default)]
pub(crate) struct DropCounts(AtomicU64);

#[derive(Debug)]
enum Item {
    Line(String),
    /// Confirms through the sender once everything before it is in the file.
    End(SyncSender<()>),
}

// === impl TraceFile ===

impl TraceFile {
    /// Opens the file for appending. Only its owner can read a new file.
    pub(crate) fn open(path: &Path) -> Result<Self, CommandError> {
        let failed = |source: io::Error| {
            user_error(format!("can't write the trace to `{}`", path.display())).caused_by(source)
        };
        // Opening a pipe without a reader would block forever.
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            return Err(failed(io::Error::other("it is not a regular file")));
        }
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).mode(0o600).open(path).map_err(failed)?;
        let written = file.metadata().map_err(failed)?.len();
        let (queue, writer) = queue(file, written);
        std::thread::Builder::new().name("trace".into()).spawn(|| writer.run()).map_err(failed)?;
        Ok(Self { queue })
    }

    pub(crate) fn drops(&self) -> &Arc<DropCounts> {
        &self.queue.drops
    }

    /// Waits, up to a deadline, until all lines are written.
    pub(crate) fn finish(&self) {
        let give_up = Instant::now() + LAST_LINES;
        let (done, wait) = sync_channel(1);
        let mut item = Item::End(done);
        while let Err(TrySendError::Full(back)) = self.queue.lines.try_send(item) {
            if Instant::now() > give_up {
                return;
            }
            item = back;
            std::thread::sleep(Duration::from_millis(10));
        }
        match wait.recv_timeout(give_up.saturating_duration_since(Instant::now())) {
            Ok(()) | Err(RecvTimeoutError::Disconnected) => {}
            Err(RecvTimeoutError::Timeout) => {
                tracing::warn!("the trace file took too long; its end is missing");
            }
        }
    }
}

/// Creates a queue, and the writer for a file that already has `written` bytes.
fn queue(file: File, written: u64) -> (Queue, Writer) {
    let (lines, queued) = sync_channel(MAX_QUEUED_LINES);
    let queue = Queue { lines, waiting: Arc::default(), drops: Arc::default() };
    let (waiting, drops) = (Arc::clone(&queue.waiting), Arc::clone(&queue.drops));
    let writer = Writer { file: BufWriter::new(file), written, queued, waiting, drops, reported: 0 };
    (queue, writer)
}

// === impl Queue ===

impl Queue {
    /// Queues a line for the file, or drops it.
    pub(super) fn push(&self, line: String) {
        let size = line.len();
        let taken = self.waiting.fetch_add(size, Relaxed) + size <= MAX_QUEUED_BYTES
            && self.lines.try_send(Item::Line(line)).is_ok();
        if !taken {
            self.waiting.fetch_sub(size, Relaxed);
            self.drops.add();
        }
    }
}

// === impl DropCounts ===

impl DropCounts {
    pub(crate) fn count(&self) -> u64 {
        self.0.load(Relaxed)
    }

    fn add(&self) {
        if self.0.fetch_add(1, Relaxed) == 0 {
            tracing::warn!(
                "the trace file is not written fast enough, or is full; it lacks messages from here on"
            );
        }
    }
}

struct Writer {
    file: BufWriter<File>,
    written: u64,
    queued: Receiver<Item>,
    waiting: Arc<AtomicUsize>,
    drops: Arc<DropCounts>,
    /// Number of dropped messages that the file has reported.
    reported: u64,
}

impl Writer {
    fn run(mut self) {
        while let Ok(item) = self.queued.recv() {
            let mut next = Some(item);
            while let Some(item) = next {
                self.take(item);
                next = self.queued.try_recv().ok();
            }
            self.flush();
        }
    }

    fn take(&mut self, item: Item) {
        match item {
            Item::Line(line) => {
                self.waiting.fetch_sub(line.len(), Relaxed);
                self.say_drops();
                self.write(&line);
            }
            Item::End(done) => {
                self.say_drops();
                self.flush();
                let _ = done.try_send(());
            }
        }
    }

    fn say_drops(&mut self) {
        let dropped = self.drops.count();
        if dropped > self.reported {
            let line =
                Object::new().string("time", &format_millis(SystemTime::now())).string("kind", "dropped");
            let line = line.value("count", &(dropped - self.reported)).finish().into_string();
            self.reported = dropped;
            self.put(&line);
        }
    }

    fn write(&mut self, line: &str) {
        if self.written + line.len() as u64 >= MAX_FILE || !self.put(line) {
            self.drops.add();
        }
    }

    fn put(&mut self, line: &str) -> bool {
        self.written += line.len() as u64 + 1;
        self.file.write_all(line.as_bytes()).and_then(|()| self.file.write_all(b"\n")).is_ok()
    }

    fn flush(&mut self) {
        if let Err(error) = self.file.flush() {
            tracing::warn!(%error, "the trace file can't be written");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    /// Writes the lines to a file that already has `written` bytes. Returns the text of the file
    /// and the number of lost lines.
    fn written(written: u64, lines: &[String]) -> (String, u64) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let (queue, writer) = queue(file.reopen().unwrap(), written);
        // The writer does not run yet, so it takes nothing out of the queue.
        lines.iter().for_each(|line| queue.push(line.clone()));
        let drops = Arc::clone(&queue.drops);
        drop(queue);
        writer.run();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        (text, drops.count())
    }

    #[test]
    fn what_the_queue_can_not_hold_is_counted_and_said() {
        let (text, drops) = written(0, &vec!["{}".to_owned(); MAX_QUEUED_LINES + 10]);
        assert_eq!(drops, 10);
        let mut lines = text.lines();
        let first = lines.next().unwrap();
        assert!(first.contains(r#""kind":"dropped","count":10"#), "{first}");
        assert_eq!(lines.filter(|line| *line == "{}").count(), MAX_QUEUED_LINES);

        let large = vec!["x".repeat(1 << 20); 12];
        assert_eq!(written(0, &large).1, 4);
    }

    #[test]
    fn a_file_has_a_size() {
        let (text, drops) = written(MAX_FILE - 4, &vec!["{}".to_owned(); 3]);
        assert_eq!((text.matches("{}").count(), drops), (1, 2));
    }
}
