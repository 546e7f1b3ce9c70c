//! Settings, each declared once: its key, kind, bounds, default, and who may set it where. The
//! schema that clients get, the keys of the file, the flags, the variables and the rows of the docs
//! all come from the declaration.
//!
//! Start with [`Setting`]; a set of them is [`DeclaredSettings`], and [`SettingValues`] are their
//! values at some moment.
mod declaration; // one setting
mod kind; // what kinds of values there are
mod setting_value; // a value
mod read; // a value from JSON
mod words; // a value from a flag or a variable
mod source_values; // values from one source
mod declared_settings; // a set of settings that was checked
mod schema; // the same as JSON Schema
mod setting_values; // every value, and where it came from
mod overlay; // a configuration or a policy on top of them
mod policy; // the settings that a policy may have as fields
mod meet; // how a policy narrows a value
#[cfg(test)]
mod tests;

pub use declaration::{Audience, Clients, FieldScope, Narrowing, Setting};
pub use declared_settings::DeclaredSettings;
pub use kind::Kind;
pub use overlay::{Author, OverlayRefusal, Source, Trust};
pub use policy::PolicyFields;
pub use read::Fault;
pub use setting_value::{FromSettingValue, List, NOTHING, SettingValue};
pub use setting_values::SettingValues;
pub use source_values::{Origin, SourceValues};
