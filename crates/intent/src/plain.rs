//! Sentences for tools without a template: the name and the arguments, and no prose of the server.
use serde_json::{Map, Value};

use super::line::{self, Limits, Piece};
use super::render::LONGEST;
use super::template::Template;
use super::value::Pieces;

/// The most arguments that a sentence names.
const ARGUMENTS: usize = 30;

/// Returns the sentence for a call: the rendered template, or [`fallback`] if there is no template
/// or it renders to nothing.
pub fn sentence(template: Option<&Template>, tool: &str, arguments: &Value) -> String {
    let rendered = template.map(|template| template.render(arguments)).unwrap_or_default();
    if rendered.is_empty() { fallback(tool, arguments) } else { rendered }
}

/// Returns a sentence such as `call write_file with path="notes.txt", lines=2`. Every string is
/// quoted, so no value can look like another argument.
///
/// It contains no description by the server, because the reader is about to judge that server.
pub fn fallback(tool: &str, arguments: &Value) -> String {
    let none = Map::new();
    let arguments = arguments.as_object().unwrap_or(&none);
    let all = arguments.len().min(ARGUMENTS);
    if let Some(line) = line::fit_whole(&pieces(tool, arguments, all, Limits::MOST), LONGEST) {
        return line.text;
    }
    let fits = |named: &usize| line::fits(&pieces(tool, arguments, *named, Limits::LEAST), LONGEST);
    let named = (1..=all).rev().find(fits).unwrap_or(1);
    line::fit(LONGEST, |limits| pieces(tool, arguments, named, limits)).text
}

/// Returns the pieces for the first `named` arguments, and a count of the others.
fn pieces(tool: &str, arguments: &Map<String, Value>, named: usize, limits: Limits) -> Vec<Piece> {
    let mut pieces = Pieces::new(limits);
    pieces.text("call ");
    pieces.name(tool);
    for (index, (name, value)) in arguments.iter().enumerate() {
        match index {
            0 => pieces.text(" with "),
            _ => pieces.comma_after(index),
        }
        if index == named {
            pieces.all.push(Piece::more_arguments(arguments.len() - index));
            break;
        }
        pieces.name(name);
        pieces.mark("=");
        pieces.member(name, value);
    }
    pieces.all
}
