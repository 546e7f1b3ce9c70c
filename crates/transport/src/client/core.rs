//! The base of a conversation, before and after the handshake: ids, deadlines, and the limit on
//! open requests.
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use overt_wire::json::{Json, JsonBuf, Object};
use overt_wire::param_headers::HeaderArgument;
use overt_wire::{ErrorObject, Id, Kind, Message, Method};
use tokio::sync::Semaphore;

use super::error::ClientError;
use super::inbox::Inbox;
use super::link::{Link, OnDrop};
use crate::limits::Limits;
use crate::time_budget::TimeBudget;

/// A link with ids and limits.
pub(super) struct Core {
    pub(super) link: Box<dyn Link>,
    pub(super) inbox: Arc<Inbox>,
    pub(super) limits: Limits,
    next_id: AtomicU64,
    slots: Semaphore,
    /// Subscriptions have their own limit, because they stay open and must not take the slots of
    /// calls.
    subscriptions: Semaphore,
}

impl Core {
    pub(super) fn new(link: Box<dyn Link>, inbox: Arc<Inbox>, limits: Limits) -> Self {
        // A random start makes ids hard to guess at no cost. It is small enough for servers that
        // store ids as doubles.
        let first = getrandom::u32().map_or(1, u64::from);
        let slots = Semaphore::new(limits.max_in_flight);
        let subscriptions = Semaphore::new(limits.max_in_flight);
        Self { link, inbox, limits, next_id: AtomicU64::new(first), slots, subscriptions }
    }

    pub(super) fn new_id(&self) -> Id {
        Id::from(self.next_id.fetch_add(1, Ordering::Relaxed))
    }

    /// Sends a request with a new id and a time budget. An error answer becomes
    /// [`ClientError::Refused`].
    pub(super) async fn ask(
        &self,
        method: &str,
        params: Option<Json<'_>>,
        mirrored: &[HeaderArgument],
        budget: TimeBudget,
        on_drop: OnDrop,
    ) -> Result<Message, ClientError> {
        let request = Message::request(&self.new_id(), method, params);
        let answer = budget.run(&self.inbox.deadline, self.ask_for_ever(&request, mirrored, on_drop)).await;
        answer.unwrap_or_else(|_| {
            let dropped = self.inbox.dropped();
            Err(ClientError::TimedOut { method: method.to_owned(), after: budget.work, dropped })
        })
    }

    /// Sends a request and waits for its answer without a deadline. It is for requests that stay
    /// open.
    pub(super) async fn ask_for_ever(
        &self,
        request: &Message,
        mirrored: &[HeaderArgument],
        on_drop: OnDrop,
    ) -> Result<Message, ClientError> {
        let answer = self.carry(request, mirrored, on_drop).await?;
        match answer.kind() {
            Kind::Error => Err(refusal(&answer).map_or_else(
                || ClientError::Protocol { what: "an error without a body".into() },
                ClientError::Refused,
            )),
            _ => Ok(answer),
        }
    }
}

impl Core {
    /// Sends a request and returns its answer, a result or an error.
    pub(super) async fn carry(
        &self,
        request: &Message,
        mirrored: &[HeaderArgument],
        on_drop: OnDrop,
    ) -> Result<Message, ClientError> {
        let limit = self.limits.max_in_flight;
        let slots = match request.method() {
            Some(Method::Listen) => &self.subscriptions,
            _ => &self.slots,
        };
        let _slot = slots.try_acquire().map_err(|_| ClientError::Busy { limit })?;
        self.link.ask(request, mirrored, on_drop).await
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        self.link.abandon();
    }
}

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Core").field("inbox", &self.inbox).finish_non_exhaustive()
    }
}

/// Returns the error of a failed answer. Some servers write `_meta` into the error or beside it; it
/// is moved to `data`, where MCP has room for it.
fn refusal(answer: &Message) -> Option<ErrorObject> {
    let error = answer.error_body()?;
    let whole = answer.as_json();
    let places = [whole.get("error").get("_meta"), whole.get("_meta")];
    let data = error.data.as_ref().map_or_else(JsonBuf::empty_object, JsonBuf::clone);
    let has_room = data.as_json().is_object() && data.as_json().get("_meta").is_absent();
    match places.into_iter().find_map(|meta| meta.value().filter(|meta| meta.is_object())) {
        Some(meta) if has_room => {
            let data = Object::new().members_of(data.as_json()).json("_meta", meta).finish();
            Some(error.with_data(data))
        }
        _ => Some(error),
    }
}
