//! Edits `overt.toml` and preserves everything else: comments, layout, line endings. Text is
//! inserted or removed, then the file is parsed again. The edit is rejected if the file means
//! anything but what was intended.
mod list; // strings in a list
mod empty_list; // removal of a list that became empty
mod table; // a table at the end of the file, and replacement of a string
mod rule; // rules that deny calls
mod text; // byte ranges, quoting, and the check of every edit
#[cfg(test)]
mod tests;

pub use empty_list::remove_empty_list;
pub use list::{ListItem, add_to_list, remove_from_list};
pub use rule::{DenyRule, add_rule, remove_rule};
pub use table::{append_table, set_text};
pub use text::EditError;
