//! Writes YAML that all readers understand in the same way: block style, no anchors, no tags, and
//! quotes when in doubt.
use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::scalar::{is_plain, is_printable};

/// Longer strings are folded over several lines if possible.
const LINE: usize = 100;

/// Writes the members, each on lines of its own. An empty list or object has no block style and is
/// written as `[]` or `{}`, which strict readers reject: leave it out.
///
/// The text never contains three hyphens in a row, because some readers end front matter there.
pub fn write(members: &Map<String, Value>) -> String {
    let mut out = String::new();
    mapping(&mut out, members, 0);
    out
}

/// Returns a text on one line, in quotes if a reader could misread it.
pub fn write_text(text: &str) -> String {
    let mut out = String::new();
    scalar(&mut out, text);
    out
}

/// Returns a list or an object in block style, for use after the colon of a name in column
/// `indent`, counted from 0.
pub fn write_block(value: &Value, indent: usize) -> String {
    let mut out = String::new();
    node(&mut out, value, indent);
    out.truncate(out.trim_end_matches('\n').len());
    out
}

fn mapping(out: &mut String, members: &Map<String, Value>, indent: usize) {
    for (name, value) in members {
        pad(out, indent);
        scalar(out, name);
        out.push(':');
        node(out, value, indent);
    }
}

fn sequence(out: &mut String, items: &[Value], indent: usize) {
    for item in items {
        pad(out, indent);
        out.push('-');
        node(out, item, indent);
    }
}

/// Writes the part after `name:` or `-`, up to the end of its last line.
fn node(out: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            out.push('\n');
            mapping(out, members, indent + 2);
        }
        Value::Array(items) if !items.is_empty() => {
            out.push('\n');
            sequence(out, items, indent + 2);
        }
        Value::String(text) if can_fold(text) => folded(out, text, indent + 2),
        Value::String(text) => {
            out.push(' ');
            scalar(out, text);
            out.push('\n');
        }
        // Null, booleans, numbers, and empty lists and objects are written as in JSON.
        other => {
            let _ = writeln!(out, " {other}");
        }
    }
}

fn scalar(out: &mut String, text: &str) {
    if is_plain(text) && text.len() <= LINE { out.push_str(text) } else { quoted(out, text) }
}

/// Returns whether folding the text at its spaces and unfolding it gives the same text.
fn can_fold(text: &str) -> bool {
    text.len() > LINE
        && !text.starts_with(' ')
        && !text.ends_with(' ')
        && !text.contains("  ")
        && !text.contains("---")
        && text.chars().all(is_printable)
}

fn folded(out: &mut String, text: &str, indent: usize) {
    out.push_str(" >-\n");
    let mut used = 0;
    for word in text.split(' ') {
        if used > 0 && used + 1 + word.len() > LINE {
            out.push('\n');
            used = 0;
        }
        if used == 0 {
            pad(out, indent);
        } else {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += word.len();
    }
    out.push('\n');
}

fn quoted(out: &mut String, text: &str) {
    out.push('"');
    let mut hyphens = 0;
    for c in text.chars() {
        hyphens = if c == '-' { hyphens + 1 } else { 0 };
        match c {
            '-' if hyphens == 3 => {
                out.push_str("\\x2d");
                hyphens = 0;
            }
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            _ if is_printable(c) => out.push(c),
            _ => {
                let code = u32::from(c);
                let _ = match code {
                    0..=0xFF => write!(out, "\\x{code:02x}"),
                    0x100..=0xFFFF => write!(out, "\\u{code:04x}"),
                    _ => write!(out, "\\U{code:08x}"),
                };
            }
        }
    }
    out.push('"');
}

fn pad(out: &mut String, indent: usize) {
    out.extend(std::iter::repeat_n(' ', indent));
}
