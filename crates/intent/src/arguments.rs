//! Shows the arguments of a call, one per line, to the person who decides about it.
use serde_json::Value;

use super::line::{self, Piece};
use super::quote::Leaf;
use super::value::Pieces;

/// The most characters of a name.
const NAME: usize = 60;
/// The most characters of a value.
const VALUE: usize = 200;
/// The most arguments that get a line.
const LINES: usize = 50;

/// Returns a line for each argument: `path: "/home/ada/…/name.txt" (37 characters left out)`.
///
/// Names are quoted unless they are plain words. Strings are quoted and cut in the middle, and
/// secrets are hidden. If there are too many arguments, the last line counts the others.
///
/// ```
/// use overt_intent::argument_lines;
/// use serde_json::json;
///
/// let lines = argument_lines(&json!({"names": ["Ada", "Charles"], "limit": 2, "api_key": "k"}));
/// assert_eq!(lines, [r#"names: ["Ada", "Charles"]"#, "limit: 2", "api_key: ***"]);
/// ```
pub fn argument_lines(arguments: &Value) -> Vec<String> {
    let Value::Object(members) = arguments else {
        let is_empty = arguments.is_null();
        return if is_empty { Vec::new() } else { vec![shown(|pieces| pieces.value(arguments))] };
    };
    let line = |(name, value): (&String, &Value)| {
        let (shown_name, _) = Leaf::name(name).cut_to(NAME);
        format!("{shown_name}: {}", shown(|pieces| pieces.member(name, value)))
    };
    let mut lines: Vec<String> = members.iter().take(LINES).map(line).collect();
    if members.len() > LINES {
        lines.push(line::fit(NAME, |_| vec![Piece::more_arguments(members.len() - LINES)]).text);
    }
    lines
}

fn shown(value: impl Fn(&mut Pieces)) -> String {
    let line = line::fit(VALUE, |limits| {
        let mut pieces = Pieces::new(limits);
        value(&mut pieces);
        pieces.all
    });
    match line.left_out {
        0 => line.text,
        1 => format!("{} (1 character left out)", line.text),
        count => format!("{} ({count} characters left out)", line.text),
    }
}
