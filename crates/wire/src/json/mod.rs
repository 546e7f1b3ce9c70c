//! JSON as text: one strict check on the way in, then borrowed looks at the checked text.
mod fault; // limits, and why a text was refused
mod span; // a range of bytes in a text
mod names; // duplicate member names
mod scan; // the strict check: everything that comes in passes it once
mod string; // the inside of strings
mod key; // member names
mod text; // `Json`, `JsonBuf`, `Member`: checked text and how to look at it
mod value; // checked text as values
mod walk; // from member to member, from element to element
mod quote; // strings as tokens
mod write; // building new JSON text member by member
mod serialize; // values of Rust types as JSON text

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
