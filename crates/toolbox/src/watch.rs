//! What keeps a subscription going.
use std::any::Any;

/// Goes on for as long as somebody is subscribed; dropped then.
pub struct Watch(#[expect(dead_code, reason = "only held")] Box<dyn Any + Send + Sync>);

impl Watch {
    /// `held` is dropped when nobody is subscribed any more.
    pub fn new(held: impl Send + Sync + 'static) -> Self {
        Self(Box::new(held))
    }
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watch")
    }
}
