//! Notices what changes in folders, by inotify. One task owns the kernel's list; it begins with the
//! first subscription.
//!
//! **Invariant:** a subscriber does not hear of what is hidden from it, not even that it changed.
mod events; // what the kernel reports, in our words
mod interest; // one subscription
mod reader; // the thread that waits for the kernel
mod owner; // the task
mod subscribe; // where subscriptions are made

pub(crate) use events::{add, remove};
pub(crate) use interest::Subject;
pub(crate) use reader::InotifyReader;
pub(crate) use subscribe::WatchService;
