//! The task that owns the kernel's list of watches.
use std::collections::{HashMap, HashSet};
use std::os::fd::AsFd as _;
use std::sync::{Arc, Weak};

use rustix::io::Errno;
use tokio::sync::{mpsc, oneshot};

use super::super::access::Folder;
use super::super::error::{FileError, code};
use super::events::{self, Event, Report};
use super::interest::Interest;
use super::reader::InotifyReader;

/// A request to begin a subscription.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) interest: Weak<Interest>,
    pub(super) folder: Folder,
    pub(super) shown: String,
    pub(super) answer: oneshot::Sender<Result<(), FileError>>,
}

/// The task's state: the requests, and the watches.
#[derive(Debug)]
pub(super) struct Owner {
    reading: InotifyReader,
    requests: mpsc::Receiver<Request>,
    /// The subscriptions for each watch.
    folders: HashMap<i32, Vec<Weak<Interest>>>,
}

/// Most subscriptions of all clients together.
const MOST_SUBSCRIPTIONS: usize = 4_096;

impl Owner {
    pub(super) fn start(requests: mpsc::Receiver<Request>) -> Result<Self, std::io::Error> {
        Ok(Self { reading: InotifyReader::start()?, requests, folders: HashMap::new() })
    }

    /// Runs as long as the server.
    pub(super) async fn run(mut self) {
        loop {
            tokio::select! {
                request = self.requests.recv() => match request {
                    Some(request) => self.begin(request),
                    None => return,
                },
                reports = self.reading.reports.recv() => match reports {
                    Some(reports) => self.pass_on(&reports).await,
                    None => return,
                },
            }
        }
    }

    fn begin(&mut self, request: Request) {
        let Request { interest, folder, shown, answer } = request;
        self.forget_ended();
        let count: usize = self.folders.values().map(Vec::len).sum();
        let added = match count < MOST_SUBSCRIPTIONS {
            true => {
                events::add(&self.reading.inotify, folder.as_fd()).map_err(|errno| refused(errno, &shown))
            }
            false => Err(too_many(&format!(
                "the server keeps at most {MOST_SUBSCRIPTIONS} subscriptions at a time"
            ))),
        };
        let begun = added.map(|number| self.folders.entry(number).or_default().push(interest));
        // If the client no longer waits, it has dropped its interest too.
        let _ = answer.send(begun);
    }

    /// Removes watches without a subscription.
    fn forget_ended(&mut self) {
        let inotify = &self.reading.inotify;
        self.folders.retain(|number, interests| {
            interests.retain(|interest| interest.strong_count() > 0);
            if interests.is_empty() {
                events::remove(inotify, *number);
            }
            !interests.is_empty()
        });
    }

    async fn pass_on(&mut self, reports: &[Report]) {
        let concerned = self.concerned(reports);
        for report in reports.iter().filter(|report| report.is_last) {
            let Some(number) = report.folder else { continue };
            self.folders.remove(&number);
            events::remove(&self.reading.inotify, number);
        }
        self.forget_ended();
        for interest in concerned {
            interest.tell().await;
        }
    }

    /// Returns one affected subscription for each resource, because all subscriptions of a resource
    /// share one announcement.
    fn concerned(&self, reports: &[Report]) -> Vec<Arc<Interest>> {
        let mut concerned: HashMap<String, Arc<Interest>> = HashMap::new();
        let mut seen: HashSet<(Option<i32>, &Event)> = HashSet::new();
        for report in reports.iter().filter(|report| seen.insert((report.folder, &report.event))) {
            let interests = match report.folder {
                Some(number) => self.folders.get(&number).map(Vec::as_slice).unwrap_or_default().to_vec(),
                None => self.folders.values().flatten().cloned().collect(),
            };
            for interest in interests.iter().filter_map(Weak::upgrade) {
                if !concerned.contains_key(interest.uri()) && interest.concerns(&report.event) {
                    concerned.insert(interest.uri().to_owned(), interest);
                }
            }
        }
        concerned.into_values().collect()
    }
}

fn refused(errno: Errno, shown: &str) -> FileError {
    match errno {
        // `fs.inotify.max_user_watches`.
        Errno::NOSPC => {
            too_many("the system does not let this user watch more files (`fs.inotify.max_user_watches`)")
        }
        errno => FileError::system(errno, shown),
    }
}

fn too_many(limit: &str) -> FileError {
    FileError::new(
        code::TOO_MANY_WATCHES,
        limit,
        "End a subscription that is no longer needed, then subscribe again; a subscription to a directory covers the files in it.",
    )
}
