//! Tests of the transports through their public interface.
#![expect(clippy::unwrap_used, reason = "a test that can't go on stops")]
mod client; // the client side against scripted servers
mod deadline; // the deadline of a request, and persons who take long to decide
mod stdio; // one conversation: start, floods, shutdown
mod documents; // documents outside the MCP endpoint
mod threads; // connections on several threads
mod http_bytes; // the limit on the bytes of all HTTP clients
mod pages; // the status address
mod principals; // who makes a request, and whose sessions it sees
mod trace_parent; // the trace of an HTTP request
mod limits_table; // the table of limits in the docs
