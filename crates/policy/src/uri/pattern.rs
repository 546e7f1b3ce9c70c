//! Normalises the URI patterns of a policy to the spelling in which URIs are matched.
use std::borrow::Cow;

use super::escapes::{decode, decode_all};

/// Returns the pattern with a lower-case scheme, readable names instead of escapes, and `file:///`
/// in place of the other ways to begin a `file:` URI.
pub(crate) fn normalised_pattern(pattern: &str) -> Cow<'_, str> {
    let is_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let scheme = pattern.find(':').filter(|end| *end > 0 && pattern[..*end].chars().all(is_scheme));
    let (scheme, rest) = scheme.map_or(("", pattern), |end| pattern.split_at(end));
    let rest = match rest.contains('%') {
        // Characters with a meaning in a glob stay escaped.
        true => decode(rest, |byte| !b"%?#/\\*[]{}!".contains(&byte) && !byte.is_ascii_control()),
        false => rest.to_owned(),
    };
    let is_whole = |text: &String| !text.contains(['?', '#', '%', '*', '[', ']', '{', '}', '!', '\\']);
    let rest = match rest.contains('%') {
        true => decode_all(&rest).filter(is_whole).unwrap_or(rest),
        false => rest,
    };
    let scheme = scheme.to_ascii_lowercase();
    let rest = match scheme == "file" {
        true => file(&rest),
        false => rest,
    };
    let normalised = format!("{scheme}{rest}");
    if normalised == pattern { Cow::Borrowed(pattern) } else { Cow::Owned(normalised) }
}

/// Returns `:///a` for `:/a`, `:a` and `://localhost/a`.
fn file(rest: &str) -> String {
    let path = rest.strip_prefix(':').unwrap_or(rest);
    match path.strip_prefix("//") {
        Some(path) => match path.strip_prefix("localhost/") {
            Some(path) => format!(":///{path}"),
            None => rest.to_owned(),
        },
        None => format!(":///{}", path.strip_prefix('/').unwrap_or(path)),
    }
}
