//! What the kernel reports, in our words.
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd as _, BorrowedFd, OwnedFd};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

/// What happened in a folder.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Event {
    /// An entry was made, written, moved or removed.
    Entry(String),
    /// The folder itself is gone or elsewhere, or the kernel has lost count: anything may have
    /// changed.
    Everything,
}

/// One report.
#[derive(Debug)]
pub(crate) struct Report {
    /// Of the folder. None if it is about every folder.
    pub(super) folder: Option<i32>,
    pub(super) event: Event,
    /// Nothing more comes of this folder.
    pub(super) is_last: bool,
}

/// As many bytes of reports are read at a time. The kernel keeps the rest, and says when it had to
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

/// Begins to watch an open folder. The number is the same for the same folder.
pub(crate) fn add(inotify: &OwnedFd, folder: BorrowedFd<'_>) -> Result<i32, Errno> {
    // By its handle: whatever stands at its path by now is another matter.
    inotify::add_watch(inotify, format!("/proc/self/fd/{}", folder.as_raw_fd()), CONTENT | ITSELF)
}

pub(crate) fn remove(inotify: &OwnedFd, folder: i32) {
    // A folder that is gone has been taken off the list by the kernel.
    let _ = inotify::remove_watch(inotify, folder);
}

/// Makes the kernel report something, so that the thread that waits for it wakes up.
pub(super) fn wake(inotify: &OwnedFd) {
    if let Ok(number) = inotify::add_watch(inotify, "/", WatchFlags::DELETE_SELF) {
        // The end of a watch is reported.
        remove(inotify, number);
    }
}

/// What is reported by now, as far as it fits.
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
