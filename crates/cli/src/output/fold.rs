//! Texts of ours folded between words to the width of a terminal.
use unicode_width::UnicodeWidthStr as _;

/// The lines of a text within `width` columns. A word that is longer has a line of its own, so that
/// it can be copied whole.
pub(super) fn folded(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            // Two spaces, where the line is broken.
            _ if word.is_empty() => {}
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The lines of a text, each indented, the first less than the others, and each with a line break.
/// Without a width it is one line.
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
}
