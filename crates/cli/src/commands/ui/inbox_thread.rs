//! The thread that owns the inbox: it checks for questions, tells the page what changed, and
//! handles one request after the other.
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use overt_state::audit::Follower;
use serde_json::json;
use tokio::sync::{oneshot, watch};

use super::problem::Problem;
use super::questions::list;
use crate::commands::grants::DecisionContext;
use crate::commands::session::setup_failed;
use crate::context::CommandContext;
use crate::error::CommandError;
use crate::lost_wrapping::{LostServer, WrappingWatch};
use crate::settings::{UiSettings, logs_in};
use overt_operator::inbox::InboxStore;

/// A handle to the thread. Dropping it ends the thread.
#[derive(Debug)]
pub(super) struct InboxThread {
    jobs: SyncSender<Job>,
    news: watch::Receiver<PageUpdates>,
    read_only: Option<String>,
}

/// The state that the page is told when it changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PageUpdates {
    /// All open questions, as JSON.
    pub(super) questions: Arc<str>,
    /// The servers that Overt was put in front of and no longer is, as JSON: a line for each.
    pub(super) unwrapped: Arc<str>,
    /// Increases whenever something is recorded.
    pub(super) recorded: u64,
}

type Job = Box<dyn FnOnce(&mut InboxStore<'_>) + Send>;

/// How often questions are checked: often enough that a person notices no delay.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// How often the logs are checked.
const LOG_CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// The most requests that wait for the thread.
const MOST_JOBS: usize = 64;
/// The most actions that are read at a time. Only whether there are any matters.
const AT_ONCE: usize = 1_000;

impl InboxThread {
    pub(super) fn start(settings: &Arc<UiSettings>, command: &CommandContext) -> Result<Self, CommandError> {
        let (jobs, work) = sync_channel(MOST_JOBS);
        let (tell, news) = watch::channel(PageUpdates::default());
        let (opened, is_open) = sync_channel::<Result<_, CommandError>>(1);
        let (settings, command) = (Arc::clone(settings), command.clone());
        let run = move || {
            let context = DecisionContext::new(&command, &settings.state, Some(&settings.audit))
                .with_passphrase(settings.passphrase)
                .on_page();
            match InboxStore::open(context.operator()) {
                Ok(store) => {
                    let read_only = store.read_only().map(str::to_owned);
                    if opened.send(Ok(read_only)).is_ok() {
                        let wrapping = WrappingWatch::start(settings.state.path(), &command.env);
                        run(store, wrapping, &settings, &work, &tell);
                    }
                }
                // `start` waits for this message.
                Err(failure) => drop(opened.send(Err(failure.into()))),
            }
        };
        let spawned = std::thread::Builder::new().name("inbox".to_owned()).spawn(run);
        spawned.map_err(setup_failed("the thread of the inbox"))?;
        let ended = || setup_failed("the inbox")(std::io::ErrorKind::BrokenPipe.into());
        let read_only = is_open.recv().map_err(|_| ended())??;
        Ok(Self { jobs, news, read_only })
    }

    /// Returns why nothing can be answered here, or `None` if answers are possible.
    pub(super) fn read_only(&self) -> Option<&str> {
        self.read_only.as_deref()
    }

    pub(super) fn news(&self) -> watch::Receiver<PageUpdates> {
        self.news.clone()
    }

    /// Runs the job on the inbox's thread and returns its result.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut InboxStore<'_>) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let (done, result) = oneshot::channel();
        let job: Job = Box::new(move |store| drop(done.send(job(store))));
        if self.jobs.try_send(job).is_err() {
            return Err(Problem::new(503, "too much is asked at once, or the inbox is closed; try again"));
        }
        result.await.unwrap_or_else(|_| Err(Problem::new(503, "the inbox is closed; start `overt ui` again")))
    }
}

/// Runs until all senders of requests are dropped.
fn run(
    mut store: InboxStore<'_>,
    mut wrapping: WrappingWatch,
    settings: &UiSettings,
    work: &Receiver<Job>,
    tell: &watch::Sender<PageUpdates>,
) {
    let mut follower = Follower::from_end(&logs_in(&settings.logs));
    let (mut checked_at, mut read): (Option<Instant>, Instant) = (None, Instant::now());
    loop {
        if checked_at.is_none_or(|checked_at| checked_at.elapsed() >= CHECK_INTERVAL) {
            checked_at = Some(Instant::now());
            match store.questions() {
                Ok(Some(open)) => {
                    let questions: Arc<str> = list(&open).to_string().into();
                    tell.send_if_modified(|news| {
                        let is_new = news.questions != questions;
                        news.questions = questions;
                        is_new
                    });
                }
                Ok(None) => {}
                // Requests fail with the same error, which the page shows.
                Err(failure) => tracing::warn!("{}", failure.error),
            }
        }
        if let Some(lost) = wrapping.news() {
            let lines: Vec<String> = lost.iter().map(LostServer::line).collect();
            tell.send_modify(|news| news.unwrapped = json!(lines).to_string().into());
        }
        if read.elapsed() >= LOG_CHECK_INTERVAL {
            read = Instant::now();
            let is_new = !follower.next(&logs_in(&settings.logs), AT_ONCE).is_empty();
            tell.send_if_modified(|news| {
                news.recorded += u64::from(is_new);
                is_new
            });
        }
        match work.recv_timeout(CHECK_INTERVAL) {
            Ok(job) => {
                job(&mut store);
                // Check at once, so that an answered question disappears.
                checked_at = None;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}
