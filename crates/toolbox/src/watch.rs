//! The guard that keeps a subscription going.
use std::any::Any;

/// Keeps its content alive while a client is subscribed, and is dropped afterwards.
pub struct Watch(#[expect(dead_code, reason = "only held")] Box<dyn Any + Send + Sync>);

impl Watch {
    /// Makes a watch. `held` is dropped when no client is subscribed any more.
    pub fn new(held: impl Send + Sync + 'static) -> Self {
        Self(Box::new(held))
    }
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watch")
    }
}
