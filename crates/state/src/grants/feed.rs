//! Tells this process that another one changed the store. Every change touches one file; the kernel
//! tells those who watch it (inotify). While nobody listens, nothing is watched and nothing wakes
//! up.
use std::fs::{self, File, FileTimes};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rustix::fs::inotify;
use tokio::net::unix::pipe;
use tokio::sync::watch;

use super::folder::closed_file;

/// The file whose time of change says that the store changed.
#[derive(Debug, Clone)]
pub(super) struct ChangeMark(PathBuf);

/// The changes of a store, as long as somebody listens.
#[derive(Debug)]
pub(super) struct Feed {
    mark: ChangeMark,
    changes: Arc<watch::Sender<u64>>,
    /// Whether a task watches the mark.
    is_watching: Arc<Mutex<bool>>,
}

/// How often the mark is looked at where the kernel can't tell.
const WITHOUT_INOTIFY: Duration = Duration::from_millis(250);
/// Events are only counted, so a short buffer is enough.
const EVENT_BYTES: usize = 1024;

impl ChangeMark {
    pub(super) fn at(path: PathBuf) -> Self {
        Self(path)
    }

    /// Tells every process that the store changed. A failure delays what other processes see until
    /// they look again, and is not worth an error.
    pub(super) fn touch(&self) {
        let mut options = File::options();
        let opened = closed_file(options.write(true).create(true).truncate(false), &self.0);
        let now = FileTimes::new().set_modified(SystemTime::now());
        if let Err(error) = opened.and_then(|file| file.set_times(now)) {
            tracing::debug!(%error, "other processes are not told of a change");
        }
    }

    fn modified(&self) -> Option<SystemTime> {
        fs::metadata(&self.0).and_then(|data| data.modified()).ok()
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Feed {
    pub(super) fn new(mark: ChangeMark) -> Self {
        Self { mark, changes: Arc::new(watch::channel(0).0), is_watching: Arc::default() }
    }

    /// Returns a receiver that sees every later change.
    pub(super) fn subscribe(&self) -> watch::Receiver<u64> {
        let receiver = self.changes.subscribe();
        let mut is_watching = self.is_watching.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::mem::replace(&mut *is_watching, true) {
            // The watch begins here and not in the task, so that no change is missed in between.
            let mark_events = watched(&self.mark);
            let task = forward(
                self.mark.clone(),
                mark_events,
                Arc::clone(&self.changes),
                Arc::clone(&self.is_watching),
            );
            tokio::spawn(task);
        }
        receiver
    }
}

/// Starts to watch the mark. `None` where the kernel can't tell. The events are read like those of
/// a pipe, which tokio can wait for without `unsafe`.
fn watched(mark: &ChangeMark) -> Option<pipe::Receiver> {
    // The file must exist to be watched.
    if mark.modified().is_none() {
        mark.touch();
    }
    let flags = inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK;
    let opened = inotify::init(flags).map_err(io::Error::from).and_then(|events| {
        // The kernel reports a new time of change as a change of the content.
        inotify::add_watch(&events, mark.path(), inotify::WatchFlags::MODIFY)?;
        pipe::Receiver::from_owned_fd_unchecked(events)
    });
    opened.inspect_err(|error| tracing::debug!(%error, "changes of the store are polled")).ok()
}

/// Counts changes until nobody listens any more.
async fn forward(
    mark: ChangeMark,
    events: Option<pipe::Receiver>,
    changes: Arc<watch::Sender<u64>>,
    is_watching: Arc<Mutex<bool>>,
) {
    let mut seen = mark.modified();
    loop {
        let changed = async {
            match &events {
                Some(events) => next_event(events).await.is_ok(),
                None => {
                    tokio::time::sleep(WITHOUT_INOTIFY).await;
                    let now = mark.modified();
                    std::mem::replace(&mut seen, now) != now
                }
            }
        };
        tokio::select! {
            changed = changed => if changed { changes.send_modify(|count| *count += 1) },
            () = changes.closed() => {
                let mut is_watching = is_watching.lock().unwrap_or_else(PoisonError::into_inner);
                // Somebody may have subscribed in this moment.
                if changes.receiver_count() == 0 {
                    *is_watching = false;
                    return;
                }
            }
        }
    }
}

async fn next_event(events: &pipe::Receiver) -> io::Result<()> {
    let mut buffer = [0; EVENT_BYTES];
    loop {
        let read = match events.readable().await {
            Ok(()) => events.try_read(&mut buffer),
            Err(error) => Err(error),
        };
        match read {
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => {
                tracing::warn!(%error, "changes of the store by other processes are not seen");
                // Never return at once in a loop.
                tokio::time::sleep(WITHOUT_INOTIFY).await;
                return Err(error);
            }
        }
    }
}
