//! Formats JSON as lines for people: a line for each member, nested values indented, texts
//! unquoted.
use overt_wire::json::Json;
use unicode_width::UnicodeWidthStr as _;

use super::safe::{indented, lines, one_line};

/// Columns of a list entry on one line. A longer entry has a line for each of its members.
const LONGEST_LINE: usize = 76;
/// Maximum nesting. Deeper values are shown as JSON.
const DEEPEST: usize = 16;

/// The whole value as lines.
pub(super) fn readable(value: Json<'_>) -> String {
    let mut out = String::new();
    push(&mut out, value, 0, 0);
    out
}

/// The members of an object that are neither arrays nor objects, as lines.
pub(super) fn readable_facts(object: Json<'_>) -> String {
    let mut out = String::new();
    for (key, member) in object.members().filter(|(_, member)| !member.is_object() && !member.is_array()) {
        push_member(&mut out, &key.name(), member, 0, 0);
    }
    out
}

fn push(out: &mut String, value: Json<'_>, level: usize, depth: usize) {
    let is_empty = value.members().next().is_none() && value.elements().next().is_none();
    if depth > DEEPEST || (is_empty && (value.is_object() || value.is_array())) {
        push_line(out, level, &super::safe::json(value));
    } else if value.is_object() {
        for (key, member) in value.members() {
            push_member(out, &key.name(), member, level, depth);
        }
    } else if value.is_array() {
        for element in value.elements() {
            push_element(out, element, level, depth);
        }
    } else {
        out.push_str(&indented(&scalar(value), &indent(level)));
        out.push('\n');
    }
}

fn push_member(out: &mut String, name: &str, value: Json<'_>, level: usize, depth: usize) {
    let name = one_line(name);
    if let Some(line) = short(value) {
        return push_line(out, level, format!("{name}: {line}").trim_end());
    }
    push_line(out, level, &format!("{name}:"));
    push(out, value, level + 1, depth + 1);
}

/// Formats an entry of a list: on one line if it fits, otherwise with its members on separate lines
/// after the dash.
fn push_element(out: &mut String, value: Json<'_>, level: usize, depth: usize) {
    if let Some(line) = short(value).or_else(|| flat(value)) {
        return push_line(out, level, format!("- {line}").trim_end());
    }
    let mut inner = String::new();
    push(&mut inner, value, 0, depth + 1);
    let below = format!("{}  ", indent(level));
    let inner = indented(&inner, &below);
    out.push_str(&format!("{}- {}\n", indent(level), inner.trim_start()));
}

/// The text of a value that fits on the line of its name, because it is not nested and has no line
/// breaks.
fn short(value: Json<'_>) -> Option<String> {
    let is_empty = value.members().next().is_none() && value.elements().next().is_none();
    if value.is_object() || value.is_array() {
        let is_short = is_empty || (has_only_numbers(value) && value.as_str().len() <= LONGEST_LINE);
        return is_short.then(|| super::safe::json(value));
    }
    Some(scalar(value)).filter(|text| !text.contains('\n'))
}

/// Whether a list, including nested lists, contains no texts or objects: ranges, sizes and the
/// like.
fn has_only_numbers(value: Json<'_>) -> bool {
    match value.is_array() {
        true => value.elements().all(has_only_numbers),
        false => !value.is_object() && !value.is_string(),
    }
}

/// A flat object on one line: `path: a.txt, type: file`. `None` if it is nested or too long.
fn flat(value: Json<'_>) -> Option<String> {
    if !value.is_object() {
        return None;
    }
    let members: Option<Vec<String>> = value
        .members()
        .map(|(key, member)| Some(format!("{}: {}", one_line(&key.name()), short(member)?)))
        .collect();
    members.map(|members| members.join(", ")).filter(|line| line.width() <= LONGEST_LINE)
}

/// A text without quotes, or a number, `true`, `false` or `null`.
fn scalar(value: Json<'_>) -> String {
    match value.string() {
        Some(text) => lines(&text),
        None => super::safe::json(value),
    }
}

fn push_line(out: &mut String, level: usize, line: &str) {
    out.push_str(&format!("{}{line}\n", indent(level)));
}

fn indent(level: usize) -> String {
    "  ".repeat(level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, text: &str) {
        assert_eq!(readable(Json::parse(json).unwrap()), text);
    }

    #[test]
    fn members_have_lines_and_lists_have_dashes() {
        check(
            r#"{"path":".","entries":[{"path":"a.txt","type":"file"},{"path":"b","type":"directory"}],"more":false,"none":[]}"#,
            "path: .\nentries:\n  - path: a.txt, type: file\n  - path: b, type: directory\nmore: false\nnone: []\n",
        );
        check(
            r#"[{"path":"a","ranges":[[0,3]],"changed":[{"start_line":1,"text":"one\nTWO"}]},"x",3]"#,
            "- path: a\n  ranges: [[0,3]]\n  changed:\n    - start_line: 1\n      text:\n        one\n        TWO\n- x\n- 3\n",
        );
    }

    #[test]
    fn nothing_is_shown_as_nothing() {
        check("{}", "{}\n");
        check("[]", "[]\n");
    }

    #[test]
    fn nothing_in_it_reaches_the_terminal_unescaped() {
        check("{\"a\\u001b[2J\":\"b\\u001b[2J\"}", "a\\u{1b}[2J: b\\u{1b}[2J\n");
    }

    #[test]
    fn nesting_has_an_end() {
        let deep = format!("{}1{}", r#"{"a":["#.repeat(40), "]}".repeat(40));
        assert!(readable(Json::parse(&deep).unwrap()).lines().count() < 60);
    }
}
