//! `overt ui`: the inbox, the activity, the servers, the policy and the grants on a page in the
//! browser. Start with `task.rs`.
mod task; // from settings to a page that is served
mod routes; // which request is answered by what
mod inspect; // one server, tried from the page
mod page; // the program of the page, as it is built into ours
mod problem; // why a request can't be answered
mod inbox_thread; // the thread that owns the inbox
mod questions; // questions and answers, bound to what was shown
mod activity; // what agents did
mod listings; // long lists, page by page
mod undoing; // changes, taken back
mod standing; // grants and trust
mod servers; // servers, their tools and their definitions
mod policy; // what is allowed, and the user's own file
mod long_diff; // diffs, as much as a page takes
mod verify; // whether the logs hold

pub(crate) use task::{inspect, ui};
