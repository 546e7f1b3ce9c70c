//! Messages of one session that are being handled: requests by id, and the number of notifications.
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use overt_wire::error::{ErrorObject, code};
use overt_wire::{Id, Message, Method};
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::limits::Limits;

/// The messages of one session that are being handled. It refuses ids that are in use and cancels
/// requests.
#[derive(Debug)]
pub(crate) struct InFlight {
    most: usize,
    most_bytes: usize,
    state: Mutex<State>,
    next: AtomicU64,
    /// Wakes the task that waits for a notification to end.
    notification_ended: Notify,
}

#[derive(Debug, Default)]
struct State {
    running: HashMap<Id, RunningRequest>,
    notifications: usize,
    /// Bytes of requests and notifications together.
    bytes: usize,
}

/// Counts one notification as being handled until it is dropped.
#[derive(Debug)]
pub(crate) struct NotificationTicket {
    in_flight: Arc<InFlight>,
    bytes: usize,
}

/// Identifies one request among all that have had the same id. An id may be reused as soon as its
/// request is answered or cancelled, while the task of the earlier request is still ending.
#[derive(Debug, Clone)]
pub(crate) struct Ticket {
    id: Id,
    number: u64,
}

#[derive(Debug)]
struct RunningRequest {
    number: u64,
    /// How to cancel the request; `None` until that is known.
    end: Option<End>,
    /// Whether this is the handshake, which can't be cancelled.
    is_handshake: bool,
    bytes: usize,
}

/// The way to cancel a request.
#[derive(Debug)]
enum End {
    /// Aborts the request's own task.
    Abort(AbortHandle),
    /// Signals the task that handles the request.
    Tell(Arc<Notify>),
}

/// The reason why a request is not accepted.
#[derive(Debug)]
pub(crate) struct NotAdmitted(pub(crate) ErrorObject);

impl InFlight {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            most: limits.max_in_flight,
            most_bytes: limits.max_in_flight_bytes,
            state: Mutex::default(),
            next: AtomicU64::new(0),
            notification_ended: Notify::new(),
        }
    }

    pub(crate) fn admit(&self, id: &Id, message: &Message) -> Result<Ticket, NotAdmitted> {
        let mut state = self.lock();
        if state.running.contains_key(id) {
            let message = format!("the id {id} belongs to a request that is still being answered");
            return Err(NotAdmitted(ErrorObject::invalid_request(message)));
        }
        if state.running.len() >= self.most {
            let message = format!("{} requests are being answered already; wait for one to end", self.most);
            return Err(NotAdmitted(ErrorObject::new(code::OVERLOADED, message)));
        }
        let bytes = message.text().len();
        if !state.has_room_for(bytes, self.most_bytes) {
            let message = format!(
                "requests of {} bytes are being answered already, and {} bytes are the most; wait for one to end",
                state.bytes, self.most_bytes
            );
            return Err(NotAdmitted(ErrorObject::new(code::OVERLOADED, message)));
        }
        let is_handshake = message.method() == Some(Method::Initialize);
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        state.bytes += bytes;
        state.running.insert(id.clone(), RunningRequest { number, end: None, is_handshake, bytes });
        Ok(Ticket { id: id.clone(), number })
    }

    /// Counts a notification. Returns `None` if too many are being handled.
    pub(crate) fn admit_notification(self: &Arc<Self>, message: &Message) -> Option<NotificationTicket> {
        let bytes = message.text().len();
        let mut state = self.lock();
        if state.notifications >= self.most || !state.has_room_for(bytes, self.most_bytes) {
            return None;
        }
        state.notifications += 1;
        state.bytes += bytes;
        Some(NotificationTicket { in_flight: Arc::clone(self), bytes })
    }

    /// Completes when a notification has ended since the last call.
    pub(crate) async fn notification_ended(&self) {
        self.notification_ended.notified().await;
    }

    pub(crate) fn set_task(&self, ticket: &Ticket, task: AbortHandle) {
        match self.lock().request_of(ticket) {
            Some(running) => running.end = Some(End::Abort(task)),
            // The request was cancelled in the meantime.
            None => task.abort(),
        }
    }

    /// Sets the cancellation signal of a request that is handled in the task that received it.
    pub(crate) fn set_signal(&self, ticket: &Ticket, cancelled: Arc<Notify>) {
        match self.lock().request_of(ticket) {
            Some(running) => running.end = Some(End::Tell(cancelled)),
            None => cancelled.notify_one(),
        }
    }

    /// Removes a request before its answer is sent. Returns false if it was cancelled, so that it
    /// must not be answered.
    pub(crate) fn finish(&self, ticket: &Ticket) -> bool {
        self.finish_with(ticket, || {})
    }

    /// Removes the request and runs `last` under the same lock, so that the request does not seem
    /// finished before `last` ran.
    pub(crate) fn finish_with(&self, ticket: &Ticket, last: impl FnOnce()) -> bool {
        let mut state = self.lock();
        let is_own = state.request_of(ticket).is_some();
        if is_own {
            state.remove(&ticket.id);
            last();
        }
        is_own
    }

    /// Cancels the request that a `notifications/cancelled` names. Unknown ids, invalid ids and the
    /// id of the handshake are ignored.
    pub(crate) fn cancel(&self, cancelled: &Message) {
        let Some(id) = cancelled_id(cancelled) else { return };
        let mut state = self.lock();
        if state.running.get(&id).is_some_and(|found| !found.is_handshake && found.end.is_some())
            && let Some(RunningRequest { end: Some(end), .. }) = state.remove(&id)
        {
            end.now();
        }
    }

    pub(crate) fn cancel_all(&self) {
        let mut state = self.lock();
        let ids: Vec<Id> = state.running.keys().cloned().collect();
        for end in ids.iter().filter_map(|id| state.remove(id)?.end) {
            end.now();
        }
    }

    /// Whether `initialize` is being answered.
    pub(crate) fn has_handshake(&self) -> bool {
        self.lock().running.values().any(|running| running.is_handshake)
    }

    pub(crate) fn is_empty(&self) -> bool {
        let state = self.lock();
        state.running.is_empty() && state.notifications == 0
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The id of the request that a `notifications/cancelled` names.
pub(crate) fn cancelled_id(cancelled: &Message) -> Option<Id> {
    cancelled.param("requestId").value().and_then(Id::of)
}

impl State {
    /// A message that is larger than the limit is accepted if nothing else is being handled.
    fn has_room_for(&self, bytes: usize, most_bytes: usize) -> bool {
        self.bytes == 0 || self.bytes.saturating_add(bytes) <= most_bytes
    }

    fn request_of(&mut self, ticket: &Ticket) -> Option<&mut RunningRequest> {
        self.running.get_mut(&ticket.id).filter(|running| running.number == ticket.number)
    }

    fn remove(&mut self, id: &Id) -> Option<RunningRequest> {
        let removed = self.running.remove(id)?;
        self.bytes -= removed.bytes;
        Some(removed)
    }
}

impl Drop for NotificationTicket {
    fn drop(&mut self) {
        let mut state = self.in_flight.lock();
        state.notifications -= 1;
        state.bytes -= self.bytes;
        drop(state);
        self.in_flight.notification_ended.notify_one();
    }
}

impl End {
    fn now(self) {
        match self {
            Self::Abort(task) => task.abort(),
            Self::Tell(cancelled) => cancelled.notify_one(),
        }
    }
}

#[cfg(test)]
mod tests {
    use overt_wire::json::JsonBuf;

    use super::*;

    fn cancel(in_flight: &InFlight, id: &str) {
        let params = JsonBuf::parse(&format!(r#"{{"requestId":{id}}}"#)).unwrap();
        in_flight.cancel(&Message::notification("notifications/cancelled", Some(params.as_json())));
    }

    fn in_flight(max_in_flight: usize) -> Arc<InFlight> {
        Arc::new(InFlight::new(&Limits { max_in_flight, max_in_flight_bytes: 1000, ..Limits::default() }))
    }

    fn request(method: &str) -> Message {
        Message::request(&Id::from(1), method, None)
    }

    fn note(bytes: usize) -> Message {
        let params = JsonBuf::parse(&format!(r#"{{"text":"{}"}}"#, "x".repeat(bytes))).unwrap();
        Message::notification("n", Some(params.as_json()))
    }

    #[test]
    fn rpc_14_a_cancelled_request_can_not_answer_for_the_next_of_its_id() {
        let in_flight = in_flight(8);
        let id = Id::from(1);
        let first = in_flight.admit(&id, &request("tools/call")).unwrap();
        in_flight.set_signal(&first, Arc::new(Notify::new()));
        cancel(&in_flight, "1");
        let second = in_flight.admit(&id, &request("tools/call")).unwrap();
        assert!(!in_flight.finish(&first));
        assert!(in_flight.finish(&second));
        assert!(!in_flight.finish(&second));
    }

    #[test]
    fn rpc_14_the_handshake_can_not_be_cancelled() {
        let in_flight = in_flight(8);
        let handshake = in_flight.admit(&Id::from(1), &request("initialize")).unwrap();
        assert!(in_flight.has_handshake());
        cancel(&in_flight, "1");
        assert!(in_flight.finish(&handshake));
        assert!(!in_flight.has_handshake());
    }

    #[test]
    fn rpc_08_only_so_many_at_once_and_each_id_once() {
        let in_flight = in_flight(2);
        let ticket = in_flight.admit(&Id::from(1), &request("m")).unwrap();
        let refused = in_flight.admit(&Id::from(1), &request("m")).unwrap_err();
        assert_eq!(refused.0.code, code::INVALID_REQUEST);
        in_flight.admit(&Id::from("1"), &request("m")).unwrap();
        assert_eq!(in_flight.admit(&Id::from(2), &request("m")).unwrap_err().0.code, code::OVERLOADED);
        in_flight.finish(&ticket);
        in_flight.admit(&Id::from(2), &request("m")).unwrap();
    }

    #[test]
    fn g_48_notifications_count_like_requests() {
        let in_flight = in_flight(2);
        let first = in_flight.admit_notification(&note(1)).unwrap();
        let _second = in_flight.admit_notification(&note(1)).unwrap();
        assert!(in_flight.admit_notification(&note(1)).is_none());
        assert!(!in_flight.is_empty());
        drop(first);
        assert!(in_flight.admit_notification(&note(1)).is_some());
    }

    #[test]
    fn g_48_the_bytes_of_requests_and_notifications_are_bounded_together() {
        let in_flight = in_flight(100);
        let large = in_flight.admit_notification(&note(5000)).expect("it goes alone");
        assert_eq!(in_flight.admit(&Id::from(1), &request("m")).unwrap_err().0.code, code::OVERLOADED);
        drop(large);
        let ticket = in_flight.admit(&Id::from(1), &note(600)).unwrap();
        assert!(in_flight.admit_notification(&note(600)).is_none());
        in_flight.finish(&ticket);
        assert!(in_flight.admit_notification(&note(600)).is_some());
        assert!(in_flight.is_empty());
        assert_eq!(in_flight.lock().bytes, 0);
    }
}
