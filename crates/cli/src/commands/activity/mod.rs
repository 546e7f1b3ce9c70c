//! `overt log`: what agents did. Reads logs, never writes one.
mod task; // runs it as its options say
mod list; // the newest actions
mod one; // everything about one action
mod follow; // actions as they come
mod unread; // what of the logs could not be read

pub(super) use one::find as find_action;
pub(crate) use task::activity;
