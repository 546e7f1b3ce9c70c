//! A web page and its API, for the person at this machine. It listens on loopback only.
mod server; // listening, connections
mod sandbox; // the second origin, for pages of servers
mod check; // who may ask, and for what
mod request; // what is asked
mod reply; // what is answered, and the headers of every answer

pub use reply::{SiteContent, SiteReply};
pub use request::{Site, SiteMethod, SiteRequest};
pub use server::SiteServer;
