//! Entity tags of documents, and whether a reader already has a document according to
//! `If-None-Match` (RFC 9110, 8.8.3 and 13.1.2).
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hyper::HeaderMap;
use hyper::header::IF_NONE_MATCH;
use sha2::{Digest as _, Sha256};

/// Returns a strong tag. The same bytes have the same tag, on every machine and in every run.
pub(super) fn entity_tag(text: &[u8]) -> String {
    format!("\"{}\"", URL_SAFE_NO_PAD.encode(Sha256::digest(text)))
}

/// Whether the reader already has the document with this tag. Invalid tags are ignored.
pub(super) fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    headers
        .get_all(IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.trim() == "*" || tags(value).any(|known| known == tag))
}

/// Splits a list into its tags, with their quotes but without the mark of weak tags, because the
/// comparison is weak. The list can't be split at commas, because a tag may contain a comma.
fn tags(list: &str) -> impl Iterator<Item = &str> {
    let mut rest = list;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        rest = rest.strip_prefix("W/").unwrap_or(rest);
        let end = rest.strip_prefix('"')?.find('"')? + 2;
        let (tag, after) = rest.split_at(end);
        rest = after;
        Some(tag)
    })
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn tags_are_digests() {
        // SHA-256 of `abc`.
        assert_eq!(entity_tag(b"abc"), "\"ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0\"");
    }

    #[test]
    fn lists_are_read_as_they_are_written() {
        for (values, known) in [
            (&[][..], false),
            (&["\"a\""], true),
            (&["W/\"a\""], true),
            (&["\"b\", \"a\""], true),
            (&["\"b\",W/\"a\",\"c\""], true),
            (&["\"b\"", "\"a\""], true),
            (&["\"x,y\" , \"a\""], true),
            (&["*"], true),
            (&[" * "], true),
            (&[",, \"a\""], true),
            (&["\"b\""], false),
            (&["a"], false),
            (&["\"a"], false),
            (&["\"A\""], false),
            (&["w/\"a\""], false),
            (&["\"x, \"a\""], false),
            (&["\"*\""], false),
            (&[""], false),
        ] {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(IF_NONE_MATCH, HeaderValue::from_str(value).unwrap());
            }
            assert_eq!(is_known(&headers, "\"a\""), known, "{values:?}");
        }
    }
}
