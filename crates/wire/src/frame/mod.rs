//! Push parsers: they take chunks of bytes and return complete frames, within limits. They do no
//! I/O.
mod line; // one message per line, as on stdio
mod request_id; // the id of a message that is too long
mod sse; // Server-Sent Events, as in Streamable HTTP

pub use line::{LineFrame, LineFramer, one_line};
pub use request_id::request_id;
pub use sse::{Event, SseFramer, SseTooLong, write_event};
