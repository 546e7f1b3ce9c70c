//! A unified diff that somebody else wrote, in colour. What a terminal would obey is escaped.
use anstyle::Style;
use overt_wire::text::UntrustedLines;

use super::style::{DANGER, DIM, NAME, PLAIN, TITLE, paint};

/// The same text, line by line.
pub(crate) fn patch_text(diff: &str) -> String {
    let mut out = String::new();
    // Behind `@@` a line of dashes is a line that goes, and no head.
    let mut in_hunk = false;
    for line in diff.lines() {
        let is_head = !in_hunk && (line.starts_with("--- ") || line.starts_with("+++ "));
        in_hunk = line.starts_with("@@") || (in_hunk && line.starts_with(['+', '-', ' ', '\\']));
        let style = if is_head { TITLE } else { style_of(line) };
        out.push_str(&paint(style, UntrustedLines(line)));
        out.push('\n');
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
}
