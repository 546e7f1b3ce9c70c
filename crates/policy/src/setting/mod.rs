//! Settings, each declared once: its key, kind, bounds, default, and who may set it where. The schema that clients get, the keys
//! of the file, the flags, the variables and the rows of the docs all come from the declaration.
//!
//! Start with [`Setting`]; a set of them is [`Declared`], and what they are worth at some moment is [`Values`].
mod declaration; // one setting
mod kind; // what kinds of values there are
mod held; // a value
mod read; // a value from JSON
mod words; // a value from a flag or a variable
mod given; // values from one source
mod declared; // a set of settings that was checked
mod schema; // the same as JSON Schema
mod values; // every value, and where it came from
mod overlay; // a configuration or a policy on top of them
mod policy; // the settings that a policy may have as fields
mod meet; // how a policy narrows a value
#[cfg(test)]
mod tests;

pub use declaration::{Audience, Clients, FieldScope, Narrows, Setting};
pub use declared::Declared;
pub use given::{Given, Origin};
pub use held::{FromHeld, Held, List, NOTHING};
pub use kind::Kind;
pub use overlay::{Author, Refused, Source, Trust};
pub use policy::PolicyFields;
pub use read::Fault;
pub use values::Values;
