//! `overt inspect`: one server, tried from the page. Start with `inspection.rs`.
mod inspection; // the conversation with the server, and what the page may ask of it
mod page_listener; // what the server sends on its own
mod pending_questions; // questions of the server that wait for the person
mod feed; // what the page is told as it happens
mod tool_cache; // the tools of the server, listed once
mod running_requests; // requests of the page that run
mod recorded_requests; // finished requests, for the export
mod schema; // values held against a schema
mod routes; // which request of the page is answered by what

pub(super) use inspection::Inspection;
