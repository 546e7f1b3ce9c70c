//! Patterns of a policy over URIs, in the spelling that URIs are matched in.
use std::borrow::Cow;

use super::escapes::{decode, decode_all};

/// The pattern with a lower-case scheme, readable names instead of escapes, and `file:///` for
/// other beginnings of `file:` URIs.
pub(crate) fn normalised_pattern(pattern: &str) -> Cow<'_, str> {
    let is_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let scheme = pattern.find(':').filter(|end| *end > 0 && pattern[..*end].chars().all(is_scheme));
    let (scheme, rest) = scheme.map_or(("", pattern), |end| pattern.split_at(end));
    let rest = match rest.contains('%') {
        // What a glob gives a meaning to stays escaped.
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

/// `:///a` for `:/a`, `:a` and `://localhost/a`.
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
