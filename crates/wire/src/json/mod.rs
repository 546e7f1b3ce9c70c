//! JSON as text: one strict check on the way in, then borrowed looks at the checked text.
mod scan; // the strict check: everything that comes in passes it once
mod text; // `Json`, `JsonBuf`, `Member`: checked text and how to look at it
mod write; // building new JSON text member by member

pub use scan::{Fault, FaultKind, Limits, check};
pub(crate) use scan::check_members;
pub use text::{Elements, Json, JsonBuf, Key, Member, Members};
pub use write::{Array, Object, quote};
