//! `overt ui`: the inbox, the activity, the servers, the policy and the grants on a page in the
//! browser. Start with `task.rs`.
mod task; // starting and serving the page
mod routes; // routing of the page's requests
mod inspect; // one server, tried from the page
mod page; // the files of the page, embedded in the program
mod problem; // the error of a request
mod inbox_thread; // the thread that owns the inbox
mod questions; // questions and answers, bound to what the page showed
mod activity; // what agents did
mod listings; // long lists, page by page
mod undoing; // undoing changes
mod standing; // grants and trust
mod servers; // servers, their tools and their definitions
mod policy; // rules and settings, and the user's own file
mod long_diff; // diffs, shortened to what a page can show
mod verify; // verification of the logs

pub(crate) use task::{inspect, ui};
