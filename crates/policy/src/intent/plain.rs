//! Calls of tools that have no template, in words of ours: the name and the arguments, nothing that the server wrote as prose.
use serde_json::Value;

use super::line::{CUT, Line};
use super::render::LONGEST;
use super::template::Template;
use super::value::{HIDDEN, short, show, without_secrets};
use crate::secrets::is_secret_name;

/// Characters of a name.
const NAME: usize = 60;
/// Arguments that are looked at.
const ARGUMENTS: usize = 30;

/// The sentence for a call: the template's, or [`fallback`] where there is none or nothing is left of it.
pub fn sentence(template: Option<&Template>, tool: &str, arguments: &Value) -> String {
    let rendered = template.map(|template| template.render(arguments)).unwrap_or_default();
    if rendered.is_empty() { fallback(tool, arguments) } else { rendered }
}

/// `call write_file with path=notes.txt, text="two words"`. A text that isn't one plain word is quoted, so that no value can pass for
/// another argument. What a server says of its tool is not in it: that is prose of somebody whom the reader is about
/// to judge.
pub fn fallback(tool: &str, arguments: &Value) -> String {
    let mut line = Line::new(LONGEST);
    line.push("call ");
    line.push(&name(tool));
    let members = arguments.as_object().into_iter().flatten();
    for (index, (argument, value)) in members.enumerate() {
        line.push(if index == 0 { " with " } else { ", " });
        if index == ARGUMENTS || line.is_cut() {
            line.push(&CUT.to_string());
            break;
        }
        line.push(&name(argument));
        line.push("=");
        line.push(&if is_secret_name(argument) { HIDDEN.to_owned() } else { written(value) });
    }
    line.finish()
}

fn name(text: &str) -> String {
    let text = match text.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}{CUT}", &text[..end]),
        None => text.to_owned(),
    };
    let text = without_secrets(&text);
    if is_plain(&text) { text } else { quoted(&text) }
}

fn written(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Number(_) => short(&value.to_string()),
        Value::String(text) if is_plain(text) => short(&without_secrets(text)),
        Value::String(text) => quoted(&without_secrets(text)),
        Value::Array(items) => {
            const MOST: usize = 20;
            let more = (items.len() > MOST).then(|| CUT.to_string());
            let items: Vec<String> = items.iter().take(MOST).map(written).chain(more).collect();
            short(&format!("[{}]", items.join(", ")))
        }
        Value::Object(_) => show(value).unwrap_or_default(),
    }
}

/// The quotes are closed even where the text is cut.
fn quoted(text: &str) -> String {
    format!("\"{}\"", short(&text.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// A word that can't be taken for anything else.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_-./:@*?+~#%&…".contains(c))
}
