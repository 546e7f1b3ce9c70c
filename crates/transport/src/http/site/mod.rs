//! A web page and its API for the local user. It listens on loopback only.
mod server; // listening and serving connections
mod sandbox; // the second origin, which shows pages of servers
mod check; // checks of each request
mod request; // requests and the trait that answers them
mod reply; // replies, and the headers that every reply has

pub use reply::{SiteContent, SiteReply};
pub use request::{Site, SiteMethod, SiteRequest};
pub use server::SiteServer;
