//! The servers that are known: what they did lately, what they say about their tools, what people
//! decided about them. No server is started for it.
mod restarts; // how often the connection to each was lost and opened again
mod usage; // what agents did with them, from the log
mod list; // all of them
mod definitions; // the tools of one server, as they were accepted and as they were seen
mod accept; // definitions, accepted as they were shown
mod trust; // how far a server is believed

pub(super) use accept::accept;
pub(super) use definitions::remembered;
pub(super) use list::list;
pub(super) use trust::set_trust;
