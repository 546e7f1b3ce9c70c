//! Finds the text that is nearest to one that was not found, and says how it differs. This helps a
//! model that remembers a file almost correctly.
use std::cell::Cell;
use std::fmt::Write as _;

use super::super::work::Stop;
use super::similar_text;

/// Most lines of the file that are searched.
const MOST_LINES: usize = 50_000;
/// Most lines of `find` that are compared.
const MOST_WANTED: usize = 50;
/// Most bytes that are compared in all. Each line counts `LINE_WORK` bytes more.
const MOST_WORK: usize = 16 << 20;
const LINE_WORK: usize = 16;
/// Most letters of a line that are compared and shown.
const MOST_LETTERS: usize = 160;
/// Most places that are shown.
const MOST_PLACES: usize = 3;
/// Most lines of a place that are shown.
const MOST_SHOWN: usize = 5;

/// Returns one sentence and the nearest lines. Empty if nothing is near, or if finding it would
/// take too long. Both texts must use `\n` line breaks only.
pub(super) fn describe(text: &str, find: &str, stop: &Stop) -> String {
    let wanted: Vec<&str> = find.trim_matches('\n').lines().take(MOST_WANTED).collect();
    let Some(first) = wanted.iter().position(|line| !line.trim().is_empty()) else { return String::new() };
    let lines: Vec<&str> = text.lines().take(MOST_LINES).collect();
    let window = |at: usize| lines.get(at..(at + wanted.len()).min(lines.len())).unwrap_or_default();
    let left = Cell::new(MOST_WORK);
    let has_left = |one: &str, other: &str| {
        let work = one.len().min(other.len()) + LINE_WORK;
        let rest = if stop.is_set() { 0 } else { left.get().saturating_sub(work) };
        left.set(rest);
        rest > 0
    };
    // First choice: all lines match, apart from blanks or from case.
    for (same, how) in [
        (same_but_blanks as fn(&str, &str) -> bool, "differs only in spaces, tabs or indentation"),
        (same_but_case, "differs only in upper and lower case"),
    ] {
        let is_near = |at: &usize| {
            let place = window(*at);
            place.len() == wanted.len()
                && place.iter().zip(&wanted).all(|(one, other)| has_left(one, other) && same(one, other))
        };
        let places: Vec<usize> = (0..lines.len()).filter(is_near).take(MOST_PLACES).collect();
        if !places.is_empty() {
            let cut = if find.trim_matches('\n').lines().nth(MOST_WANTED).is_some() {
                format!(" (the first {MOST_WANTED} lines)")
            } else {
                String::new()
            };
            let mut said = format!("what is there {how}{cut}:");
            for at in places {
                show(&mut said, at, window(at), &wanted);
            }
            return said;
        }
    }
    // Second choice: a part matches, apart from whitespace, quotes, case or escapes.
    let places = similar_text::find(&lines, find);
    if let Some(first) = places.first() {
        let mut said = format!("what is there {}:", first.how);
        for place in &places {
            let shown =
                lines.get(place.line..(place.line + place.count).min(lines.len())).unwrap_or_default();
            show(&mut said, place.line, shown, &wanted);
        }
        return said;
    }
    // Last choice: the most similar line, with the lines after it.
    let mut ranked: Vec<(usize, usize)> = lines
        .iter()
        .enumerate()
        .take_while(|_| !stop.is_set())
        .map(|(at, line)| (similarity(line, wanted[first]), at))
        .filter(|(score, _)| *score >= 50)
        .collect();
    ranked.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
    ranked.truncate(MOST_PLACES);
    if ranked.is_empty() {
        return String::new();
    }
    let mut said = "the nearest is:".to_owned();
    for (_, at) in ranked {
        let at = at.saturating_sub(first);
        show(&mut said, at, window(at), &wanted);
    }
    said
}

/// Appends the lines of a place with their numbers, and marks those that differ.
fn show(said: &mut String, at: usize, place: &[&str], wanted: &[&str]) {
    for (offset, line) in place.iter().enumerate().take(MOST_SHOWN) {
        let differs = wanted.get(offset) != Some(line);
        let mark = if differs { "!" } else { " " };
        let cut: String = line.chars().take(MOST_LETTERS).collect();
        let _ = write!(said, "\n{mark}{:>5}| {cut}", at + offset + 1);
        if let Some(why) = wanted.get(offset).filter(|_| differs).and_then(|wanted| blanks(line, wanted)) {
            let _ = write!(said, "   ({why})");
        }
    }
    if place.len() > MOST_SHOWN {
        let _ = write!(said, "\n      | and {} more lines", place.len() - MOST_SHOWN);
    }
}

/// Describes how the blanks of two lines differ.
fn blanks(line: &str, wanted: &str) -> Option<String> {
    if !same_but_blanks(line, wanted) {
        return None;
    }
    let lead = |text: &str| text.len() - text.trim_start().len();
    let (own, other) = (&line[..lead(line)], &wanted[..lead(wanted)]);
    if own != other {
        return Some(format!("begins with {}, `find` with {}", in_words(own), in_words(other)));
    }
    let tail = |text: &str| text.len() - text.trim_end().len();
    if tail(line) != tail(wanted) {
        return Some(format!("ends with {} blanks, `find` with {}", tail(line), tail(wanted)));
    }
    Some("other blanks between the words".to_owned())
}

fn in_words(blanks: &str) -> String {
    let tabs = blanks.chars().filter(|letter| *letter == '\t').count();
    match (blanks.chars().count() - tabs, tabs) {
        (0, 0) => "no blanks".to_owned(),
        (1, 0) => "1 space".to_owned(),
        (0, 1) => "1 tab".to_owned(),
        (spaces, 0) => format!("{spaces} spaces"),
        (0, tabs) => format!("{tabs} tabs"),
        (spaces, tabs) => format!("{tabs} tabs and {spaces} spaces"),
    }
}

fn same_but_blanks(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}

fn same_but_case(one: &str, other: &str) -> bool {
    one.chars().flat_map(char::to_lowercase).eq(other.chars().flat_map(char::to_lowercase))
}

/// Returns how much of the longer line both lines share at their ends, in percent. Surrounding
/// blanks don't count.
fn similarity(one: &str, other: &str) -> usize {
    let letters = |text: &str| text.trim().chars().take(MOST_LETTERS).collect::<Vec<_>>();
    let (one, other) = (letters(one), letters(other));
    let (short, long) = (one.len().min(other.len()), one.len().max(other.len()));
    if short == 0 {
        return 0;
    }
    let front = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
    let back = one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count();
    (front + back.min(short - front)) * 100 / long
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(text: &str, find: &str) -> String {
        describe(text, find, &Stop::default())
    }

    /// Comparing many similar lines with each other is bounded.
    #[test]
    fn much_that_is_alike_has_an_end() {
        let text = "a b\n".repeat(50_000);
        let find = format!("{}x", "a  b\n".repeat(10_000));
        assert!(
            near(&text, &find).contains("differs only in spaces, tabs or indentation (the first 50 lines)")
        );
        assert!(near(&text, &format!("{}x", "a b\n".repeat(40))).starts_with("the nearest is:"));
        let stopped = Stop::default();
        stopped.set();
        assert_eq!(describe(&text, "a  b", &stopped), "");
    }

    #[test]
    fn the_nearest_is_shown_with_what_differs() {
        let text = "fn main() {\n\tlet answer = 42;\n    print(answer);\n}\n";
        insta::assert_snapshot!(near(text, "    let answer = 42;\n    print(answer);"), @r"
        what is there differs only in spaces, tabs or indentation:
        !    2| 	let answer = 42;   (begins with 1 tab, `find` with 4 spaces)
             3|     print(answer);
        ");
        insta::assert_snapshot!(near(text, "Let Answer"), @r"
        what is there differs only in upper and lower case, and perhaps in spaces:
        !    2| 	let answer = 42;
        ");
        insta::assert_snapshot!(near(text, "FN MAIN() {"), @r"
        what is there differs only in upper and lower case:
        !    1| fn main() {
        ");
        insta::assert_snapshot!(near(text, "let answer = 43;"), @r"
        the nearest is:
        !    2| 	let answer = 42;
        ");
        assert_eq!(near(text, "nothing like it"), "");
        assert_eq!(near(text, "\n\n"), "");
    }
}
