//! Sends spans in bounded batches, retries where that may help, and counts lost spans.
use std::sync::Arc;
use std::time::Duration;

use overt_transport::client::{PostOutcome, Poster};
use overt_wire::hex::hex;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::counts::Spans;
use super::encode::{Resource, document};
use super::span::{Finished, SpanObserver};
use crate::error::{CommandError, user_error};
use crate::settings::OtlpSettings;

/// Maximum number of queued spans; further ones are dropped.
const MAX_QUEUED: usize = 2048;
/// Maximum number of spans in one document.
const MAX_BATCH: usize = 512;
/// Number of attempts for a document, and the pause after the first; each further pause is twice as
/// long.
const TRIES: u32 = 4;
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
pub(super) const POST_DEADLINE: Duration = Duration::from_secs(10);
/// Maximum time that the end of the process waits for the last spans.
const LAST_SPANS: Duration = Duration::from_secs(3);

/// How long a batch waits for more spans, and the first pause before a retry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    pub(crate) gather: Duration,
    pub(crate) first_pause: Duration,
}

/// The task that sends spans, with its queue.
#[derive(Debug)]
pub(crate) struct Exporter {
    observer: Arc<SpanObserver>,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

struct Sender {
    poster: Poster,
    resource: Resource,
    spans: Arc<Spans>,
    pace: Pace,
}

impl Default for Pace {
    fn default() -> Self {
        Self { gather: Duration::from_secs(5), first_pause: FIRST_PAUSE }
    }
}

// === impl Exporter ===

impl Exporter {
    /// Starts to send. `transport` is how clients connect: `pipe` or `tcp`.
    pub(crate) fn start(
        settings: &OtlpSettings,
        transport: &'static str,
        pace: Pace,
    ) -> Result<Self, CommandError> {
        let poster = Poster::new(&settings.url, &settings.headers, POST_DEADLINE)
            .map_err(|error| user_error("can't send spans").caused_by(error))?;
        let resource = Resource { service: settings.service.clone(), instance: instance() };
        let (finished, queued) = mpsc::channel(MAX_QUEUED);
        let spans = Arc::<Spans>::default();
        let observer = Arc::new(SpanObserver { finished, spans: Arc::clone(&spans), transport });
        let (stop, stopped) = oneshot::channel();
        let sender = Sender { poster, resource, spans, pace };
        Ok(Self { observer, stop, task: tokio::spawn(sender.run(queued, stopped)) })
    }

    pub(crate) fn observer(&self) -> Arc<SpanObserver> {
        Arc::clone(&self.observer)
    }

    pub(crate) fn spans(&self) -> &Arc<Spans> {
        &self.observer.spans
    }

    /// Sends the remaining spans, up to a deadline.
    pub(crate) async fn finish(self) {
        let _ = self.stop.send(());
        if timeout(LAST_SPANS, self.task).await.is_err() {
            tracing::warn!("the collector took too long; the last spans are lost");
        }
    }
}

// === impl Sender ===

impl Sender {
    async fn run(self, mut queued: mpsc::Receiver<Finished>, mut stopped: oneshot::Receiver<()>) {
        let mut batch = Vec::new();
        loop {
            tokio::select! {
                biased;
                _ = &mut stopped => break,
                () = self.gather(&mut queued, &mut batch) => {}
            }
            tokio::select! {
                biased;
                _ = &mut stopped => break,
                () = self.send(&batch, TRIES) => batch.clear(),
            }
        }
        // A batch whose sending was interrupted is sent again, because a duplicate is better than a
        // loss.
        queued.close();
        while !batch.is_empty() || queued.recv_many(&mut batch, MAX_BATCH).await > 0 {
            self.send(&batch, 1).await;
            batch.clear();
        }
    }

    /// Waits for the first span, then for more until the batch is full or the time is up.
    async fn gather(&self, queued: &mut mpsc::Receiver<Finished>, batch: &mut Vec<Finished>) {
        if queued.recv_many(batch, MAX_BATCH).await == 0 {
            // All senders are dropped, so only the stop signal remains to wait for.
            std::future::pending::<()>().await;
        }
        let until = Instant::now() + self.pace.gather;
        while batch.len() < MAX_BATCH {
            let room = MAX_BATCH - batch.len();
            match timeout_at(until, queued.recv_many(batch, room)).await {
                Ok(count) if count > 0 => {}
                _ => return,
            }
        }
    }

    async fn send(&self, batch: &[Finished], tries: u32) {
        let document = document(&self.resource, batch);
        let mut pause = self.pace.first_pause;
        for left in (0..tries).rev() {
            match self.poster.post(document.clone()).await {
                PostOutcome::Taken => {
                    self.spans.add_sent(batch.len());
                    return;
                }
                PostOutcome::Refused(status) => {
                    tracing::warn!(status, "the collector at {} refuses spans", self.poster.shown());
                    break;
                }
                PostOutcome::Later(wait) if left > 0 => {
                    sleep(wait.unwrap_or(pause).min(LONGEST_PAUSE)).await;
                    pause *= 2;
                }
                PostOutcome::Later(_) => {}
            }
        }
        self.spans.drop_some(batch.len());
    }
}

/// A unique name for this process.
pub(super) fn instance() -> String {
    let mut bits = [0_u8; 8];
    // Without random numbers, the name is all zeros.
    let _ = getrandom::fill(&mut bits);
    hex(&bits)
}
