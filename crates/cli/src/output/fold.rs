//! Wraps texts between words to the width of a terminal.
use unicode_width::UnicodeWidthStr as _;

/// The lines of a text within `width` columns. A longer word gets its own line, so that it can be
/// copied whole. Text in backticks counts as one word, so that a command is not broken.
pub(super) fn folded(text: &str, width: usize) -> Vec<String> {
    filled(words(text).iter().map(String::as_str), width)
}

/// Puts as many words on each line as fit.
fn filled<'a>(words: impl Iterator<Item = &'a str>, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if columns(line) + 1 + columns(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            // Two spaces at a line break add no line.
            _ if word.is_empty() => {}
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Wraps each line of somebody else's text. Continuation lines repeat the indentation, so that
/// lists keep their shape.
pub(super) fn keeping_indents(text: &str, width: usize) -> String {
    let fold = |line: &str| {
        let indent = line.len() - line.trim_start().len();
        let indent = " ".repeat(indent.min(width / 2));
        match filled(line.split_whitespace(), width.saturating_sub(indent.len())) {
            lines if lines.is_empty() => indent,
            lines => lines.iter().map(|line| format!("{indent}{line}")).collect::<Vec<_>>().join("\n"),
        }
    };
    text.lines().map(fold).collect::<Vec<_>>().join("\n")
}

fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_quoted = false;
    for part in text.split(' ') {
        match words.last_mut() {
            Some(word) if is_quoted => word.push_str(&format!(" {part}")),
            _ => words.push(part.to_owned()),
        }
        is_quoted ^= part.matches('`').count() % 2 == 1;
    }
    match is_quoted {
        // A backtick without a partner quotes nothing.
        true => text.split(' ').map(str::to_owned).collect(),
        false => words,
    }
}

/// The width on a terminal, where colour codes take no columns.
fn columns(text: &str) -> usize {
    anstream::adapter::strip_str(text).to_string().width()
}

const INDENT: usize = 2;

/// Wraps a message to `width` columns. Continuation lines are indented, so that no server text that
/// a message quotes looks like a line of ours. Indented lines are kept as they are, because they
/// are quotes or meant to be copied.
pub(super) fn message(text: &str, width: usize) -> String {
    let fold = |line: &str| match line.starts_with(' ') || columns(line) <= width {
        true => line.to_owned(),
        false => hanging(line, (0, INDENT), Some(width)).trim_end().to_owned(),
    };
    text.split('\n').map(fold).collect::<Vec<_>>().join("\n")
}

/// Wraps a text and ends each line with a line break. The first line is indented by `first`
/// columns, the others by `rest`. Without a width, the text is one line.
pub(crate) fn hanging(text: &str, (first, rest): (usize, usize), width: Option<usize>) -> String {
    let lines = folded(text, width.map_or(usize::MAX, |width| width.saturating_sub(rest)));
    let indents = std::iter::once(first).chain(std::iter::repeat(rest));
    lines.iter().zip(indents).map(|(line, indent)| format!("{}{line}\n", " ".repeat(indent))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(folded("one two three", 8), ["one two", "three"]);
        assert_eq!(folded("a  b", 8), ["a  b"]);
        assert_eq!(folded("a /far/too/long/path b", 8), ["a", "/far/too/long/path", "b"]);
        assert_eq!(hanging("one two three four", (2, 4), Some(13)), "  one two\n    three\n    four\n");
        assert_eq!(hanging("one two three four", (2, 4), None), "  one two three four\n");
        assert_eq!(hanging("", (2, 4), None), "");
    }

    #[test]
    fn what_is_to_be_copied_stays_whole() {
        assert_eq!(folded("say `overt log a-1` now", 9), ["say", "`overt log a-1`", "now"]);
        assert_eq!(folded("it's `a` or `b c`", 9), ["it's `a`", "or `b c`"]);
        assert_eq!(folded("one ` two three", 9), ["one ` two", "three"]);
    }

    #[test]
    fn a_message_keeps_its_lines_and_colours() {
        let red = "\u{1b}[31merror:\u{1b}[0m one two three\n\n    four five six seven";
        let folded = "\u{1b}[31merror:\u{1b}[0m one\n  two three\n\n    four five six seven";
        assert_eq!(message(red, 14), folded);
        assert_eq!(message(red, 80), red);
    }
}
