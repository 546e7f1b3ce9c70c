//! `overt log`: what agents did. It only reads logs.
mod task; // the command, run as its options say
mod list; // the newest actions
mod one; // everything about one action
mod follow; // actions as they come

pub(super) use one::find as find_action;
pub(crate) use task::activity;
