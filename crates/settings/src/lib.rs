//! Settings, each declared once: its key, kind, bounds, default, and who may set it where. The
//! schema for clients, the keys of the file, the flags, the environment variables and the rows of
//! the docs are all derived from the declaration.
//!
//! Beside them is the rest of what people write in `overt.toml`, as far as it says what may be
//! done: regions of files, and the file itself.
//!
//! Start with [`Setting`]. [`DeclaredSettings`] is a set of them, and [`SettingValues`] holds their
//! current values.
mod declaration; // the declaration of one setting
mod kind; // the kinds of values
mod setting_value; // a value
mod read; // a value from JSON
mod words; // a value from a flag or an environment variable
mod source_values; // the values from one source
mod declared_settings; // a checked set of settings
mod schema; // settings as JSON Schema
mod setting_values; // the value of every setting and its origin
mod overlay; // a configuration or a policy on top of the values
mod policy; // the settings that a policy may have as fields
mod meet; // how a policy narrows a value
pub mod region; // folders that may be seen and changed
pub mod toml_file; // TOML with the position of each value
pub mod toml_edit; // edits of a TOML file that preserve everything else
pub mod config; // the part of `overt.toml` that says what may be done
pub mod suggest; // settings and grants that would have allowed past calls
#[cfg(test)]
#[path = "../../policy/tests/it/cases.rs"]
mod cases; // the number of random cases in property tests
#[cfg(test)]
mod tests;

pub use declaration::{Audience, Clients, FieldScope, Narrowing, Setting};
pub use declared_settings::DeclaredSettings;
pub use kind::Kind;
pub use overlay::{Author, OverlayRefusal, ReplacementRight, Source};
pub use policy::PolicyFields;
pub use read::Fault;
pub use region::{Region, Regions};
pub use setting_value::{FromSettingValue, List, NOTHING, SettingValue};
pub use setting_values::SettingValues;
pub use source_values::{Origin, SourceValues};
