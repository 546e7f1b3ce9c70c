//! Tests of the transports as their users see them.
#![expect(clippy::unwrap_used, reason = "a test that can't go on stops")]
mod client; // the calling side against scripted servers
mod deadline; // the deadline of a request, and people who take their time
mod stdio; // one conversation: its beginning, its flood, its end
mod documents; // what is read beside the MCP endpoint
mod threads; // connections on more than one thread
mod http_bytes; // what HTTP clients may hold together
mod pages; // the status address
mod trace_parent; // which trace an HTTP request belongs to
mod limits_table; // the table in the docs
