//! `overt inspect`: trying one server from the page. Start with `inspection.rs`.
mod inspection; // the conversation with the server, and requests of the page
mod page_listener; // messages that the server sends on its own
mod pending_questions; // questions of the server that wait for the person
mod feed; // events for the page as they happen
mod tool_cache; // the tools of the server, listed once
mod running_requests; // requests of the page that are running
mod recorded_requests; // finished requests, for the export
mod schema; // validation of values against a schema
mod routes; // routing of the page's requests

pub(super) use inspection::Inspection;
