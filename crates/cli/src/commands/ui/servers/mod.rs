//! The known servers: what they did lately, what they say about their tools, what people decided
//! about them. No server is started for this.
mod restarts; // lost and reopened connections to each server
mod usage; // recent calls of each server, from the logs
mod list; // the list of all servers
mod definitions; // the tools of one server, as accepted and as last seen
mod accept; // accepting definitions as they were shown
mod trust; // trust in a server

pub(super) use accept::accept;
pub(super) use definitions::remembered;
pub(super) use list::list;
pub(super) use trust::set_trust;
