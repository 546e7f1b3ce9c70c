//! Changes of `overt.toml` that keep everything else as it is: comments, layout, line ends. Text is
//! inserted or removed, then the file is parsed again, and the change is refused if the file says
//! anything but what was meant.
mod list; // texts in a list
mod empty_list; // a list that has become empty
mod table; // a table at the end, and a text in a table
mod rule; // rules that deny calls
mod text; // byte ranges, quoting, and the check of every change
#[cfg(test)]
mod tests;

pub use empty_list::remove_empty_list;
pub use list::{ListItem, add_to_list, remove_from_list};
pub use rule::{DenyRule, add_rule, remove_rule};
pub use table::{append_table, set_text};
pub use text::EditError;
