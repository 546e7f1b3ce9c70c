//! The first sentence of a text.

/// Returns the first sentence without its full stop, or the whole text.
pub fn first_sentence(text: &str) -> &str {
    let mut ends = text.match_indices(['.', '!', '?']).map(|(at, _)| at);
    let end = ends.find(|at| {
        let word = text[..*at].rsplit([' ', '\n', '(']).next().unwrap_or_default();
        // `e.g.` and initials do not end a sentence.
        text[at + 1..].starts_with([' ', '\n']) && !word.contains('.') && word.chars().count() > 1
    });
    let sentence = end.map_or(text, |at| &text[..at]);
    sentence.strip_suffix('.').unwrap_or(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_of_a_description() {
        for (text, wanted) in [
            ("List all. More.", "List all"),
            ("List all.", "List all"),
            ("List (e.g. files) of A. Smith. More", "List (e.g. files) of A. Smith"),
            ("Version 1.2 of it\nand more", "Version 1.2 of it\nand more"),
            ("", ""),
        ] {
            assert_eq!(first_sentence(text), wanted);
        }
    }
}
