//! Colours a unified diff that was made elsewhere and marks the changed words. Terminal control
//! characters are escaped.
use anstyle::Style;
use overt_layers::compare::changed_words;
use overt_wire::text::UntrustedLines;

use super::style::{DANGER, DIM, NAME, PLAIN, TITLE, paint, paint_words};

/// Returns the same text in colour, line by line.
pub(crate) fn patch_text(diff: &str) -> String {
    let mut out = String::new();
    let lines: Vec<&str> = diff.lines().collect();
    let mut rest = lines.as_slice();
    // After `@@`, a line of dashes is a removed line and not a file header.
    let mut in_hunk = false;
    while let Some(line) = rest.first() {
        if in_hunk && line.starts_with('-') {
            let (gone, after) = run_of('-', rest);
            let (come, after) = run_of('+', after);
            let escape = |text: &str| UntrustedLines(text).to_string();
            push_replaced(&mut out, "", (&bare(gone), &bare(come)), escape);
            rest = after;
            continue;
        }
        let is_head = !in_hunk && (line.starts_with("--- ") || line.starts_with("+++ "));
        in_hunk = line.starts_with("@@") || (in_hunk && line.starts_with(['+', '-', ' ', '\\']));
        let style = if is_head { TITLE } else { style_of(line) };
        out.push_str(&paint(style, UntrustedLines(line)));
        out.push('\n');
        rest = &rest[1..];
    }
    out
}

fn style_of(line: &str) -> Style {
    match line.as_bytes().first() {
        Some(b'+') => NAME,
        Some(b'-') => DANGER,
        Some(b'@' | b'\\') => DIM,
        _ => PLAIN,
    }
}

/// Splits off the leading lines that begin with this sign.
fn run_of<'a, 'b>(sign: char, lines: &'a [&'b str]) -> (&'a [&'b str], &'a [&'b str]) {
    lines.split_at(lines.iter().take_while(|line| line.starts_with(sign)).count())
}

/// Formats removed lines and the lines that replace them, each after the indent, with the changed
/// words marked.
pub(super) fn push_replaced(
    out: &mut String,
    indent: &str,
    (gone, come): (&[&str], &[&str]),
    escape: fn(&str) -> String,
) {
    let is_replaced = !gone.is_empty() && !come.is_empty();
    let (old_words, new_words) = is_replaced.then(|| changed_words(gone, come)).flatten().unwrap_or_default();
    for (style, sign, lines, words) in [(DANGER, '-', gone, old_words), (NAME, '+', come, new_words)] {
        for (index, line) in lines.iter().enumerate() {
            let ranges = words.get(index).map_or(&[][..], Vec::as_slice);
            out.push_str(&format!("{indent}{}\n", paint_words(style, sign, line, ranges, escape)));
        }
    }
}

/// The lines without their sign.
fn bare<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    lines.iter().map(|line| line.get(1..).unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_coloured_by_what_they_say_and_escaped() {
        let diff = "--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n--- sql\n-\u{1b}[2J\n+\tnew\n same\n\\ No newline at end of file\n";
        let shown = patch_text(diff);
        assert_eq!(anstream::adapter::strip_str(&shown).to_string(), diff.replace('\u{1b}', "\\u{1b}"));
        let red = shown.lines().find(|line| line.contains("sql")).unwrap();
        assert_eq!(red, paint(DANGER, "--- sql"));
        assert!(shown.starts_with(&paint(TITLE, "--- a/x")));
    }

    #[test]
    fn words_that_differ_are_reversed() {
        let diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-let größe = 1\u{1b};\n+let größe = 22\u{1b};\n";
        let shown = patch_text(diff);
        assert_eq!(anstream::adapter::strip_str(&shown).to_string(), diff.replace('\u{1b}', "\\u{1b}"));
        let expected = [
            paint(NAME, "+"),
            paint(NAME, "let größe = "),
            paint(NAME.invert(), "22"),
            paint(NAME, "\\u{1b};"),
        ];
        assert!(shown.contains(&expected.concat()), "{shown:?}");
    }
}
