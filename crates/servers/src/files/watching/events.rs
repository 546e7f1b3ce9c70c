//! Starts and stops watching folders by inotify, and translates its reports.
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd as _, BorrowedFd, OwnedFd};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

/// What happened in a folder.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Event {
    /// An entry was created, written, moved or removed.
    Entry(String),
    /// The folder itself was deleted or moved, or the kernel dropped events. Anything may have
    /// changed.
    Everything,
}

/// One report of the kernel.
#[derive(Debug)]
pub(crate) struct Report {
    /// The watch that it is for. `None` if it is for every folder.
    pub(super) folder: Option<i32>,
    pub(super) event: Event,
    /// Whether this is the last report for the folder.
    pub(super) is_last: bool,
}

/// Bytes of reports that are read at a time. The kernel keeps the rest, and reports when it had to
/// drop some.
const BUFFER: usize = 64 << 10;

const CONTENT: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO);

const ITSELF: WatchFlags = WatchFlags::DELETE_SELF.union(WatchFlags::MOVE_SELF).union(WatchFlags::ONLYDIR);

pub(super) fn open() -> Result<OwnedFd, Errno> {
    inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)
}

/// Begins to watch an open folder. Returns the number of the watch, which is the same for the same
/// folder.
pub(crate) fn add(inotify: &OwnedFd, folder: BorrowedFd<'_>) -> Result<i32, Errno> {
    // Uses the handle, because the path may lead to another folder by now.
    inotify::add_watch(inotify, format!("/proc/self/fd/{}", folder.as_raw_fd()), CONTENT | ITSELF)
}

pub(crate) fn remove(inotify: &OwnedFd, folder: i32) {
    // The kernel has already removed the watch of a deleted folder.
    let _ = inotify::remove_watch(inotify, folder);
}

/// Makes the kernel report something, to wake up the thread that waits for it.
pub(super) fn wake(inotify: &OwnedFd) {
    if let Ok(number) = inotify::add_watch(inotify, "/", WatchFlags::DELETE_SELF) {
        // The kernel reports that the watch ended.
        remove(inotify, number);
    }
}

/// Reads the pending reports, as many as fit into the buffer.
pub(super) fn read(inotify: &OwnedFd) -> Vec<Report> {
    let mut buffer = vec![MaybeUninit::uninit(); BUFFER];
    let mut reader = Reader::new(inotify, &mut buffer);
    let mut reports = Vec::new();
    while let Ok(event) = reader.next() {
        let flags = event.events();
        let is_last = flags.intersects(ReadFlags::IGNORED | ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF);
        let name = event.file_name().map(|name| name.to_string_lossy().into_owned());
        let event_of = match name {
            Some(name) if !is_last => Event::Entry(name),
            _ => Event::Everything,
        };
        let is_overflow = flags.contains(ReadFlags::QUEUE_OVERFLOW);
        reports.push(Report { folder: (!is_overflow).then(|| event.wd()), event: event_of, is_last });
        if reader.is_buffer_empty() {
            break;
        }
    }
    reports
}
