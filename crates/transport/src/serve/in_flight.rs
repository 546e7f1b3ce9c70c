//! The requests of one session that are being answered, by id.
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use overt_wire::error::{ErrorObject, code};
use overt_wire::{Id, Message, Method};
use tokio::sync::Notify;
use tokio::task::AbortHandle;

/// Refuses ids that are in use, and ends requests that the client cancels.
#[derive(Debug)]
pub(crate) struct InFlight {
    most: usize,
    running: Mutex<HashMap<Id, Running>>,
    next: AtomicU64,
}

/// One request among those that have had the same id: an id may be used again as soon as its request is answered or
/// cancelled, while the task of the earlier one is still on its way out.
#[derive(Debug, Clone)]
pub(crate) struct Ticket {
    id: Id,
    number: u64,
}

#[derive(Debug)]
struct Running {
    number: u64,
    /// Until it is known how to end the request, there is nothing to end.
    end: Option<End>,
    cancellable: bool,
    /// Stays open until somebody ends it.
    endless: bool,
}

/// How a request is ended.
#[derive(Debug)]
enum End {
    /// It has a task of its own.
    Abort(AbortHandle),
    /// Whoever does the work waits for this.
    Tell(Arc<Notify>),
}

/// Why a request is not taken.
#[derive(Debug)]
pub(crate) struct NotAdmitted(pub(crate) ErrorObject);

impl InFlight {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, running: Mutex::default(), next: AtomicU64::new(0) }
    }

    pub(crate) fn admit(&self, id: &Id, method: Option<Method<'_>>) -> Result<Ticket, NotAdmitted> {
        let mut running = self.lock();
        if running.contains_key(id) {
            let message = format!("the id {id} belongs to a request that is still being answered");
            return Err(NotAdmitted(ErrorObject::invalid_request(message)));
        }
        if running.len() >= self.most {
            let message = format!("{} requests are being answered already; wait for one to end", self.most);
            return Err(NotAdmitted(ErrorObject::new(code::OVERLOADED, message)));
        }
        let cancellable = method != Some(Method::Initialize);
        let endless = method == Some(Method::Listen);
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        running.insert(id.clone(), Running { number, end: None, cancellable, endless });
        Ok(Ticket { id: id.clone(), number })
    }

    pub(crate) fn set_task(&self, ticket: &Ticket, task: AbortHandle) {
        match self.lock().get_mut(&ticket.id).filter(|running| running.number == ticket.number) {
            Some(running) => running.end = Some(End::Abort(task)),
            // Cancelled in between.
            None => task.abort(),
        }
    }

    /// The same for a request that is worked on where it came in.
    pub(crate) fn set_signal(&self, ticket: &Ticket, cancelled: Arc<Notify>) {
        match self.lock().get_mut(&ticket.id).filter(|running| running.number == ticket.number) {
            Some(running) => running.end = Some(End::Tell(cancelled)),
            None => cancelled.notify_one(),
        }
    }

    /// The request is about to be answered. False when it was cancelled and must not be answered any more.
    pub(crate) fn finish(&self, ticket: &Ticket) -> bool {
        self.finish_with(ticket, || {})
    }

    /// The same in one step with `last`: nobody sees the request ended before it is done.
    pub(crate) fn finish_with(&self, ticket: &Ticket, last: impl FnOnce()) -> bool {
        let mut running = self.lock();
        let own = running.get(&ticket.id).is_some_and(|running| running.number == ticket.number);
        if own {
            running.remove(&ticket.id);
            last();
        }
        own
    }

    /// Ends the request that a `notifications/cancelled` names; whatever it names wrongly is ignored.
    pub(crate) fn cancel(&self, cancelled: &Message) {
        let Some(id) = cancelled.params().get("requestId").value().and_then(Id::of) else { return };
        let mut running = self.lock();
        if running.get(&id).is_some_and(|found| found.cancellable)
            && let Some(Running { end: Some(end), .. }) = running.remove(&id)
        {
            end.now();
        }
    }

    pub(crate) fn cancel_all(&self) {
        self.cancel_where(|_| true);
    }

    /// Ends the requests that would not end by themselves.
    pub(crate) fn cancel_endless(&self) {
        self.cancel_where(|running| running.endless);
    }

    fn cancel_where(&self, wanted: impl Fn(&Running) -> bool) {
        for (_, running) in self.lock().extract_if(|_, running| wanted(running)) {
            if let Some(end) = running.end {
                end.now();
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Id, Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
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

    #[test]
    fn rpc_14_a_cancelled_request_can_not_answer_for_the_next_of_its_id() {
        let in_flight = InFlight::new(8);
        let id = Id::from(1);
        let first = in_flight.admit(&id, Some(Method::ToolsCall)).unwrap();
        cancel(&in_flight, "1");
        let second = in_flight.admit(&id, Some(Method::ToolsCall)).unwrap();
        assert!(!in_flight.finish(&first));
        assert!(in_flight.finish(&second));
        assert!(!in_flight.finish(&second));
    }

    #[test]
    fn rpc_14_the_handshake_can_not_be_cancelled() {
        let in_flight = InFlight::new(8);
        let hello = in_flight.admit(&Id::from(1), Some(Method::Initialize)).unwrap();
        cancel(&in_flight, "1");
        assert!(in_flight.finish(&hello));
    }

    #[test]
    fn rpc_08_only_so_many_at_once_and_each_id_once() {
        let in_flight = InFlight::new(2);
        let ticket = in_flight.admit(&Id::from(1), None).unwrap();
        assert_eq!(in_flight.admit(&Id::from(1), None).unwrap_err().0.code, code::INVALID_REQUEST);
        in_flight.admit(&Id::from("1"), None).unwrap();
        assert_eq!(in_flight.admit(&Id::from(2), None).unwrap_err().0.code, code::OVERLOADED);
        in_flight.finish(&ticket);
        in_flight.admit(&Id::from(2), None).unwrap();
    }
}
