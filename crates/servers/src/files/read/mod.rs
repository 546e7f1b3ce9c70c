//! What is in an open file: its text, by lines and within bounds, or what else it is. Knows
//! handles, and no path and no client.
mod kind; // text or something else, by its first bytes
mod unreadable; // why a file can't be read as text
mod source; // the bytes of a text as UTF-8, in blocks
mod lines; // some lines of a text
mod text; // what of a file is given, and what is told about it
#[cfg(test)]
mod tests;

pub(crate) use kind::{Binary, Encoding, Kind, MOST_HEAD, Medium, is_windows_1252, kind_of};
pub(crate) use source::Bytes;
pub(crate) use text::{Cut, LineEnding, Start, Text, Window, count_lines, head_of, read_binary, read_text};
pub(crate) use unreadable::Unreadable;
