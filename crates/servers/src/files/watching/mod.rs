//! Notices changes in folders by inotify. One task owns the kernel's list of watches; it starts
//! with the first subscription.
//!
//! **Invariant:** a subscriber learns nothing about entries that are hidden from it, not even that
//! they changed.
mod events; // the kernel's reports
mod interest; // one subscription
mod reader; // the thread that waits for the kernel
mod owner; // the task that owns the watches
mod subscribe; // making subscriptions

pub(crate) use events::{add, remove};
pub(crate) use interest::Subject;
pub(crate) use reader::InotifyReader;
pub(crate) use subscribe::WatchService;
