//! The thread that waits for inotify, whose reports can't be awaited without unsafe code.
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use tokio::sync::mpsc;

use super::events::{self, Report};

/// Time to gather reports. Saving a file makes several of them, which are announced as one change.
const GATHER: Duration = Duration::from_millis(50);

/// The receiving end of the reader thread. Dropping it ends the thread.
#[derive(Debug)]
pub(crate) struct InotifyReader {
    pub(crate) inotify: Arc<OwnedFd>,
    pub(crate) reports: mpsc::Receiver<Vec<Report>>,
}

impl InotifyReader {
    pub(crate) fn start() -> Result<Self, std::io::Error> {
        let inotify = Arc::new(events::open()?);
        let (sender, reports) = mpsc::channel(1);
        let read = Arc::clone(&inotify);
        std::thread::Builder::new().name("watching".to_owned()).spawn(move || pass_on(&read, &sender))?;
        Ok(Self { inotify, reports })
    }
}

impl Drop for InotifyReader {
    fn drop(&mut self) {
        self.reports.close();
        events::wake(&self.inotify);
    }
}

fn pass_on(inotify: &OwnedFd, reports: &mpsc::Sender<Vec<Report>>) {
    loop {
        match poll(&mut [PollFd::new(inotify, PollFlags::IN)], None) {
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(_) => return,
        }
        if reports.is_closed() {
            return;
        }
        std::thread::sleep(GATHER);
        if reports.blocking_send(events::read(inotify)).is_err() {
            return;
        }
    }
}
