//! What the tools share: tasks, the seal of request states, and the listeners.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::RoleServer;
use rmcp::model::RequestStateCodec;
use rmcp::service::{RequestContext, SubscriptionSink};
use rmcp::task_manager::TaskManager;

pub(crate) type Context = RequestContext<RoleServer>;

/// A suite of tools, resources and prompts, with its current listeners.
#[derive(Clone)]
pub(crate) struct Suite {
    pub(crate) tasks: TaskManager,
    pub(crate) seal: RequestStateCodec,
    listeners: Arc<Mutex<Listeners>>,
}

#[derive(Default)]
struct Listeners {
    next: u64,
    open: HashMap<u64, SubscriptionSink>,
}

impl Suite {
    pub(crate) fn new() -> Self {
        Self {
            tasks: TaskManager::new(),
            // No secret is protected here. The suite only checks that a forged state is noticed.
            seal: RequestStateCodec::new_unchecked(*b"thirty-two bytes that seal a state"),
            listeners: Arc::default(),
        }
    }

    /// Returns all current listeners.
    pub(crate) fn listeners(&self) -> Vec<SubscriptionSink> {
        self.with_listeners(|listeners| listeners.open.values().cloned().collect())
    }

    /// Adds a listener and returns the key that removes it.
    pub(crate) fn add_listener(&self, sink: SubscriptionSink) -> u64 {
        self.with_listeners(|listeners| {
            listeners.next += 1;
            listeners.open.insert(listeners.next, sink);
            listeners.next
        })
    }

    pub(crate) fn remove_listener(&self, key: u64) {
        self.with_listeners(|listeners| listeners.open.remove(&key));
    }

    fn with_listeners<T>(&self, look: impl FnOnce(&mut Listeners) -> T) -> T {
        look(&mut self.listeners.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
