//! Reads open files: their text, by lines and within bounds, or what kind of binary file they are.
//! Knows handles, but no paths and no clients.
mod kind; // text or binary, by the first bytes
mod unreadable; // reasons why a file can't be read as text
mod source; // the bytes of a text as UTF-8, in blocks
mod lines; // some lines of a text
mod text; // the requested part of a text, and facts about the rest
#[cfg(test)]
mod tests;

pub(crate) use kind::{Binary, Encoding, Kind, MOST_HEAD, Medium, is_windows_1252, kind_of};
pub(crate) use source::Bytes;
pub(crate) use text::{Cut, LineEnding, Start, Text, Window, count_lines, head_of, read_binary, read_text};
pub(crate) use unreadable::Unreadable;
