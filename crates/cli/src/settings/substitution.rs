//! References that clients replace in their files before they start a server. A reference matches
//! any text.

/// Whether `text` can be the result of a client's replacements in `pattern`.
pub(super) fn fits(pattern: &str, text: &str) -> bool {
    let parts = literal_parts(pattern);
    let [first, rest @ ..] = parts.as_slice() else { return false };
    let Some(mut left) = text.strip_prefix(first) else { return false };
    let Some((last, middle)) = rest.split_last() else { return left.is_empty() };
    for part in middle {
        match left.find(part) {
            Some(at) => left = &left[at + part.len()..],
            None => return false,
        }
    }
    left.ends_with(last)
}

/// The literal text between the references: `${NAME}`, `{env:NAME}`, `{file:PATH}`, and `~` at the
/// beginning.
fn literal_parts(pattern: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = pattern;
    if let Some(after) = rest.strip_prefix("~/") {
        parts.push("");
        rest = &pattern[pattern.len() - after.len() - 1..];
    }
    let next = |text: &str| ["${", "{env:", "{file:"].iter().filter_map(|start| text.find(start)).min();
    while let Some(at) = next(rest) {
        let Some(end) = rest[at..].find('}') else { break };
        parts.push(&rest[..at]);
        rest = &rest[at + end + 1..];
    }
    parts.push(rest);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_stand_for_anything_and_the_rest_for_itself() {
        for (pattern, text, expected) in [
            ("-y", "-y", true),
            ("-y", "-yy", false),
            ("${HOME}/x", "/home/me/x", true),
            ("${HOME}/x", "/home/me/y", false),
            ("a${B}c${D}e", "a1c2e", true),
            ("a${B}c${D}e", "a1d2e", false),
            ("{env:TOKEN}", "anything", true),
            ("~/x", "/home/me/x", true),
            ("~x", "/home/me/x", false),
            ("${open", "${open", true),
            ("", "", true),
            ("", "x", false),
        ] {
            assert_eq!(fits(pattern, text), expected, "{pattern} {text}");
        }
    }
}
