//! An open conversation with the upstream: the transport's client, and the calls in progress.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use overt_transport::client::{Client, ClientError};
use overt_transport::time_budget::TimeBudget;
use overt_wire::era::Era;
use overt_wire::param_headers::HeaderArgument;
use overt_wire::{DeadlineControl, Id, Message, Method};
use tokio::time::Instant;

use crate::route::Routes;

/// The open conversation of a session. A session that is reopened gets a new one.
pub(crate) struct Connection {
    pub(crate) client: Client,
    pub(crate) routes: Arc<Routes>,
    opened: Instant,
    /// How often the upstream announced that its tools changed.
    tool_changes: AtomicU64,
    /// The value of `tool_changes` when the last list was requested, plus one. 0 before the first
    /// list.
    listed_after: AtomicU64,
    /// Successive calls that got no answer in time.
    unanswered: AtomicUsize,
    /// Whether new calls must no longer use the conversation.
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

    /// Whether calls can use the conversation.
    pub(super) fn is_usable(&self) -> bool {
        self.client.is_open() && !self.is_discarded.load(Ordering::Acquire)
    }

    pub(super) fn discard(&self) {
        self.is_discarded.store(true, Ordering::Release);
    }

    pub(crate) fn new_id(&self) -> Id {
        self.client.new_id()
    }

    /// Returns the answer to a request of our own, if it comes in time.
    pub(crate) async fn ask(&self, request: &Message, patience: Duration) -> Result<Message, ClientError> {
        self.send(request, &[], TimeBudget::without_pauses(patience), &DeadlineControl::default()).await
    }

    /// Sends a request and returns the answer, if it comes within the budget. Time in which
    /// `deadline` is paused does not count. Headers repeat the `mirrored` arguments of a call.
    pub(crate) async fn send(
        &self,
        request: &Message,
        mirrored: &[HeaderArgument],
        budget: TimeBudget,
        deadline: &DeadlineControl,
    ) -> Result<Message, ClientError> {
        budget.run(deadline, self.client.carry(request, mirrored)).await.unwrap_or_else(|_| {
            let method = request.method().map_or("", Method::name).to_owned();
            Err(ClientError::TimedOut { method, after: budget.work, dropped: None })
        })
    }

    /// Records that a call was answered.
    pub(crate) fn answered(&self) {
        if self.unanswered.load(Ordering::Relaxed) > 0 {
            self.unanswered.store(0, Ordering::Relaxed);
        }
    }

    /// Records a call that got no answer in time. Returns the number of successive ones.
    pub(crate) fn not_answered(&self) -> usize {
        self.unanswered.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn tool_changes(&self) -> u64 {
        self.tool_changes.load(Ordering::Acquire)
    }

    pub(crate) fn tools_changed(&self) {
        self.tool_changes.fetch_add(1, Ordering::AcqRel);
    }

    /// Records that the tools were listed. `changes` is the value of `tool_changes` when the list
    /// was requested.
    pub(crate) fn tools_listed(&self, changes: u64) {
        self.listed_after.store(changes + 1, Ordering::Release);
    }

    /// Whether the tools were listed in this conversation and have not changed since.
    pub(crate) fn knows_tools(&self) -> bool {
        self.listed_after.load(Ordering::Acquire) == self.tool_changes() + 1
    }
}
