//! JSON as text: one strict check of the input, then borrowed views of the checked text.
mod fault; // limits, and the reasons for a refusal
mod span; // a range of bytes in a text
mod names; // search for duplicate member names
mod scan; // the strict check that all input passes once
mod string; // string contents: escapes and where a string ends
mod key; // member names
mod text; // `Json`, `JsonBuf`, `Member`: checked text and read access to it
mod value; // checked text as `serde_json` values
mod walk; // iteration over members and elements
mod quote; // strings as JSON tokens
mod write; // building new JSON text member by member
mod serialize; // Rust values as JSON text

pub(crate) use fault::DEEPEST;
pub use fault::{Fault, FaultKind, Limits};
pub use key::Key;
pub use quote::{push_quoted, quote};
pub use scan::check;
pub(crate) use scan::{check_members, into_text};
pub(crate) use span::Span;
pub(crate) use string::unescape;
pub use text::{Json, JsonBuf, Member};
pub use walk::{Elements, Members};
pub(crate) use walk::{depth, skip_string, skip_value};
pub use write::{Array, Object};
