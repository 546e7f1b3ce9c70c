//! The requests of one session that are being answered, by id.
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use overt_wire::error::{ErrorObject, code};
use overt_wire::{Id, Message, Method};
use tokio::task::AbortHandle;

/// Refuses ids that are in use, and ends requests that the client cancels.
#[derive(Debug)]
pub(crate) struct InFlight {
    most: usize,
    running: Mutex<HashMap<Id, Running>>,
}

#[derive(Debug)]
struct Running {
    /// Until the request has a task of its own, there is nothing to abort.
    task: Option<AbortHandle>,
    cancellable: bool,
    /// Stays open until somebody ends it.
    endless: bool,
}

/// Why a request is not taken.
#[derive(Debug)]
pub(crate) struct NotAdmitted(pub(crate) ErrorObject);

impl InFlight {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, running: Mutex::default() }
    }

    pub(crate) fn admit(&self, id: &Id, method: Option<Method<'_>>) -> Result<(), NotAdmitted> {
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
        running.insert(id.clone(), Running { task: None, cancellable, endless });
        Ok(())
    }

    pub(crate) fn set_task(&self, id: &Id, task: AbortHandle) {
        match self.lock().get_mut(id) {
            Some(running) => running.task = Some(task),
            // Cancelled in between.
            None => task.abort(),
        }
    }

    /// The request is about to be answered. False when it was cancelled and must not be answered any more.
    pub(crate) fn finish(&self, id: &Id) -> bool {
        self.lock().remove(id).is_some()
    }

    /// Ends the request that a `notifications/cancelled` names; whatever it names wrongly is ignored.
    pub(crate) fn cancel(&self, cancelled: &Message) {
        let Some(id) = cancelled.params().get("requestId").value().and_then(Id::of) else { return };
        let mut running = self.lock();
        if running.get(&id).is_some_and(|found| found.cancellable)
            && let Some(Running { task: Some(task), .. }) = running.remove(&id)
        {
            task.abort();
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
            if let Some(task) = running.task {
                task.abort();
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
