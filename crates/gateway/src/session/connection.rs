//! A live conversation with the upstream: the transport's client, and the calls that it is working
//! on.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use overt_transport::client::{Client, ClientError};
use overt_transport::time_budget::TimeBudget;
use overt_wire::era::Era;
use overt_wire::{DeadlineControl, Id, Message, Method};
use tokio::time::Instant;

use crate::route::Routes;

/// What a session is while it is connected. A session that is opened again has another one.
pub(crate) struct Connection {
    pub(crate) client: Client,
    pub(crate) routes: Arc<Routes>,
    opened: Instant,
    /// How often the upstream said that its tools have changed.
    tool_changes: AtomicU64,
    /// The changes that the last list had seen, and one.
    listed_after: AtomicU64,
    /// Calls in a row that got no answer in time.
    unanswered: AtomicUsize,
    /// No call may use it any more.
    is_discarded: AtomicBool,
}

impl Connection {
    pub(super) fn new(client: Client, routes: Arc<Routes>) -> Self {
        Self {
            client,
            routes,
            opened: Instant::now(),
            tool_changes: AtomicU64::new(0),
            listed_after: AtomicU64::new(0),
            unanswered: AtomicUsize::new(0),
            is_discarded: AtomicBool::new(false),
        }
    }

    pub(crate) fn era(&self) -> Era {
        self.client.server().version.era()
    }

    pub(crate) fn age(&self) -> Duration {
        self.opened.elapsed()
    }

    /// Whether calls can use it.
    pub(super) fn is_usable(&self) -> bool {
        self.client.is_open() && !self.is_discarded.load(Ordering::Acquire)
    }

    pub(super) fn discard(&self) {
        self.is_discarded.store(true, Ordering::Release);
    }

    pub(crate) fn new_id(&self) -> Id {
        self.client.new_id()
    }

    /// The answer to a request of our own, if it comes in time.
    pub(crate) async fn ask(&self, request: &Message, patience: Duration) -> Result<Message, ClientError> {
        self.send(request, TimeBudget::without_pauses(patience), &DeadlineControl::default()).await
    }

    /// The answer to a request, if it comes within its budget. The time in which `deadline` is
    /// paused does not count.
    pub(crate) async fn send(
        &self,
        request: &Message,
        budget: TimeBudget,
        deadline: &DeadlineControl,
    ) -> Result<Message, ClientError> {
        budget.run(deadline, self.client.carry(request)).await.unwrap_or_else(|_| {
            let method = request.method().map_or("", Method::name).to_owned();
            Err(ClientError::TimedOut { method, after: budget.work, dropped: None })
        })
    }

    /// A call was answered.
    pub(crate) fn answered(&self) {
        if self.unanswered.load(Ordering::Relaxed) > 0 {
            self.unanswered.store(0, Ordering::Relaxed);
        }
    }

    /// A call got no answer in time. Returns how many in a row did not.
    pub(crate) fn not_answered(&self) -> usize {
        self.unanswered.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn tool_changes(&self) -> u64 {
        self.tool_changes.load(Ordering::Acquire)
    }

    pub(crate) fn tools_changed(&self) {
        self.tool_changes.fetch_add(1, Ordering::AcqRel);
    }

    /// The tools were listed, in a request that was made after so many changes.
    pub(crate) fn tools_listed(&self, changes: u64) {
        self.listed_after.store(changes + 1, Ordering::Release);
    }

    /// Whether the tools were listed here and have not changed since.
    pub(crate) fn knows_tools(&self) -> bool {
        self.listed_after.load(Ordering::Acquire) == self.tool_changes() + 1
    }
}
