//! Checks the instructions: their length, their links, and content that should not be in them.
use std::collections::BTreeSet;

use overt_policy::finding::Pointer;
use overt_wire::text::is_deceptive;

use super::Rule;
use super::checker::Checker;
use crate::yaml::LineColumn;

const MOST_LINES: usize = 500;
/// The recommended limit in tokens. Instructions with fewer bytes have fewer tokens, so those need
/// not be counted.
pub const MOST_TOKENS: usize = 5_000;
/// The most links that are checked.
const MOST_LINKS: usize = 500;
/// The most hidden characters that are reported with their places.
const MOST_HIDDEN: usize = 10;

pub(super) fn check(checker: &mut Checker<'_>, body: &str, first_line: usize) {
    let at = |line: usize| LineColumn { line, column: 1 };
    let root = Pointer::root;
    if body.trim().is_empty() {
        let fix = "write what the agent should do";
        return checker.add_at(Rule::BodyEmpty, root(), at(first_line), "has no instructions", fix);
    }
    let lines = body.trim_end().lines().count();
    let fix = "move details into files beside it, and link to them";
    if lines > MOST_LINES {
        let problem = format!("has {lines} lines of instructions; {MOST_LINES} are recommended");
        checker.add_at(Rule::BodyLines, root(), at(first_line), problem, fix);
    }
    if let Some(tokens) = checker.source.tokens.filter(|tokens| *tokens > MOST_TOKENS) {
        let problem = format!("has {tokens} tokens of instructions; {MOST_TOKENS} are recommended");
        checker.add_at(Rule::BodyTokens, root(), at(first_line), problem, fix);
    }
    links(checker, body, first_line);
    // Addresses of private networks are common in instructions and reveal nothing, so only
    // credentials are reported.
    for (kind, line) in overt_secrets::scan_credentials(body) {
        let place = at(first_line + line - 1);
        checker.add_at(Rule::Secret, root(), place, format!("contains {kind}"), kind.fix());
    }
}

fn links(checker: &mut Checker<'_>, body: &str, first_line: usize) {
    let mut seen = BTreeSet::new();
    for (target, line) in relative_links(body).take(MOST_LINKS) {
        let place = LineColumn { line: first_line + line, column: 1 };
        if !seen.insert(target.clone()) {
            continue;
        }
        match inside(&target) {
            None => {
                let fix = "copy the file into the directory of the skill; the link is not followed";
                let problem = format!("links to `{target}`, outside of its directory");
                checker.add_at(Rule::LinkOutside, Pointer::root(), place, problem, fix);
            }
            Some(path) if !path.is_empty() && !checker.source.files.has(&path) => {
                let fix = "add the file, or correct the link";
                let problem = format!("links to `{target}`, which is not there");
                checker.add_at(Rule::LinkMissing, Pointer::root(), place, problem, fix);
            }
            Some(_) => {}
        }
    }
}

/// Returns the targets of Markdown links to files, with their lines counted from 0. Skips code.
fn relative_links(body: &str) -> impl Iterator<Item = (String, usize)> {
    let mut fence: Option<&str> = None;
    let mut found = Vec::new();
    for (number, line) in body.lines().enumerate() {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => {
                // Every second part is between backticks.
                for text in line.split('`').step_by(2) {
                    found.extend(targets(text).map(|target| (target, number)));
                }
            }
            _ => {}
        }
    }
    found.into_iter()
}

/// Returns the targets of `[text](target)` that are relative paths.
fn targets(text: &str) -> impl Iterator<Item = String> {
    text.match_indices("](").filter_map(|(at, _)| {
        let rest = &text[at + 2..];
        let target = match rest.strip_prefix('<') {
            Some(rest) => rest.split('>').next()?,
            None => rest.split([')', ' ', '\t']).next()?,
        };
        let target = target.split(['#', '?']).next()?;
        let has_scheme = target.split_once(':').is_some_and(|(scheme, _)| {
            !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        });
        // A target with a placeholder such as `{name}` or `$x` is not a path.
        let is_path = !target.is_empty() && !has_scheme && !target.contains(['{', '}', '$', '*', '<', '|']);
        is_path.then(|| decode(target))
    })
}

/// Decodes percent escapes such as `%20`.
fn decode(target: &str) -> String {
    let mut out = Vec::with_capacity(target.len());
    let mut rest = target.as_bytes();
    while let [byte, after @ ..] = rest {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.filter(|_| *byte == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(code) => {
                out.push(code);
                rest = &after[2..];
            }
            None => {
                out.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| target.to_owned())
}

/// Returns the path below the directory, or `None` if it leaves the directory.
fn inside(target: &str) -> Option<String> {
    if target.starts_with('/') || target.contains('\\') {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Reports characters in the whole file that are invisible or change how others are displayed.
pub(super) fn check_characters(checker: &mut Checker<'_>, text: &str) {
    let mut found = 0;
    for (number, line) in text.lines().enumerate() {
        if line.is_ascii() && !line.bytes().any(|byte| byte.is_ascii_control() && byte != b'\t') {
            continue;
        }
        let mut before = '\0';
        for (column, c) in line.chars().enumerate() {
            if is_hidden(before, c) {
                found += 1;
                if found <= MOST_HIDDEN {
                    let place = LineColumn { line: number + 1, column: column + 1 };
                    let problem = format!("has the invisible character U+{:04X}", u32::from(c));
                    checker.add_at(
                        Rule::HiddenUnicode,
                        Pointer::root(),
                        place,
                        problem,
                        "remove it: people can't see what agents read there",
                    );
                }
            }
            before = c;
        }
    }
    if found > MOST_HIDDEN {
        let problem = format!("has {} more invisible characters", found - MOST_HIDDEN);
        checker.report.add_for_skill(Rule::HiddenUnicode, problem, "remove them");
    }
}

/// Returns whether the character is hidden text. The joiner and the variation selectors are allowed
/// in emoji.
fn is_hidden(before: char, c: char) -> bool {
    let in_emoji = matches!(c, '\u{200D}' | '\u{FE0E}' | '\u{FE0F}')
        && (before >= '\u{2000}' || matches!(before, '0'..='9' | '#' | '*' | '©' | '®'));
    let in_flag = matches!(c, '\u{E0020}'..='\u{E007F}')
        && (before == '\u{1F3F4}' || matches!(before, '\u{E0020}'..='\u{E007E}'));
    // Scripts such as Persian need the two joiners between letters.
    let in_word = matches!(c, '\u{200C}' | '\u{200D}') && before.is_alphabetic() && !before.is_ascii();
    c != '\t' && is_deceptive(c) && !in_emoji && !in_flag && !in_word
}
