//! Finds the parts of a text that may be a credential. The search is generous: a log removes all of
//! them, because a lost word is better than a key left in; a check also asks
//! [`SecretSpan::is_real`].
use std::cmp::Reverse;
use std::ops::Range;

use super::forms;
use super::kind::Kind;
use super::names::{is_secret_in_query, is_secret_name};
use super::real;

/// A part of a text that may be a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretSpan {
    pub kind: Kind,
    pub range: Range<usize>,
}

impl SecretSpan {
    /// Returns whether it looks like a real credential, and not like a placeholder or a word.
    pub fn is_real(&self, text: &str) -> bool {
        let value = &text[self.range.clone()];
        match self.kind {
            Kind::ServiceKey(_) => real::is_key(value),
            Kind::Jwt => real::is_jwt(value),
            Kind::PrivateKey => real::is_key_block(value),
            Kind::UserInfo => real::is_user_info(value, &text[self.range.end..]),
            Kind::Header | Kind::Query | Kind::Assignment | Kind::Member => real::is_value(value),
            Kind::Internal => true,
        }
    }
}

/// Returns everything in the text that may be a credential, sorted by position. A span may lie
/// within the previous one.
///
/// Takes time linear in the length of the text.
pub fn secret_spans(text: &str) -> Vec<SecretSpan> {
    let mut spans = Vec::new();
    // Search for a mark only if the text contains a part of it: most texts contain none.
    if has(text, b"-----") {
        after_each(text, "-----BEGIN ", Kind::PrivateKey, private_key, &mut spans);
    }
    if has(text, b"//") || has(text, forms::BEFORE_WITHOUT_SLASHES) {
        for (mark, service) in forms::BEFORE {
            after_each(text, mark, Kind::ServiceKey(service), rest_of_key, &mut spans);
        }
        after_each(text, "://", Kind::UserInfo, user_info, &mut spans);
    }
    words(text, 0..text.len(), NamedSecrets::Counted, &mut spans);
    spans.sort_by_key(|span| (span.range.start, Reverse(span.range.end)));
    spans
}

/// Returns whether the text contains these few bytes. It uses no searcher, because building one
/// takes longer than scanning such a text.
fn has<const N: usize>(text: &str, part: &[u8; N]) -> bool {
    // Most places already differ in the first byte.
    text.as_bytes().windows(N).any(|window| window[0] == part[0] && window == part)
}

/// Whether a value after a name is also a span.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NamedSecrets {
    Counted,
    Ignored,
}

/// Adds what `find` returns after each `mark`: a range that is counted from there.
fn after_each(
    text: &str,
    mark: &str,
    kind: Kind,
    find: impl Fn(&str) -> Option<Range<usize>>,
    spans: &mut Vec<SecretSpan>,
) {
    let mut at = 0;
    while let Some(found) = text[at..].find(mark) {
        at += found + mark.len();
        if let Some(secret) = find(&text[at..]) {
            let range = at + secret.start..at + secret.end;
            at = range.end;
            spans.push(SecretSpan { kind, range });
        }
    }
}

/// Returns the inside of a private key, after its `-----BEGIN `. A key without an end extends to
/// the end of the text.
fn private_key(after: &str) -> Option<Range<usize>> {
    let head = after.find("-----")?;
    if !after[..head].ends_with("PRIVATE KEY") && !after[..head].ends_with("PRIVATE KEY BLOCK") {
        return None;
    }
    let start = head + "-----".len();
    Some(start..after[start..].find("-----END").map_or(after.len(), |end| start + end))
}

/// Returns the rest of a key that contains slashes.
fn rest_of_key(after: &str) -> Option<Range<usize>> {
    let end = value_end(after, 0, None);
    (end >= forms::LEAST_AFTER).then_some(0..end)
}

/// Returns the text before the `@` of an address, after its `://`.
fn user_info(after: &str) -> Option<Range<usize>> {
    let authority =
        after.find(|c: char| matches!(c, '/' | '?' | '#' | '"' | '\'' | '<' | '>') || c.is_whitespace());
    let authority = &after[..authority.unwrap_or(after.len())];
    authority.rfind('@').filter(|end| *end > 0).map(|end| 0..end)
}

/// Adds keys of known forms, credentials after `Bearer` or `Basic`, and values after the name of a
/// credential.
fn words(text: &str, within: Range<usize>, names: NamedSecrets, spans: &mut Vec<SecretSpan>) {
    let mut at = within.start;
    // Words are ASCII, so they can be found byte by byte, and their ends are character boundaries.
    let bytes = &text.as_bytes()[..within.end];
    while let Some(start) = bytes[at..].iter().position(|byte| is_word(*byte)).map(|start| at + start) {
        let length = bytes[start..].iter().position(|byte| !is_word(*byte));
        let end = length.map_or(within.end, |length| start + length);
        let word = &text[start..end];
        at = end;
        if let Some(kind) = forms::key(word) {
            spans.push(SecretSpan { kind, range: start..end });
        } else if forms::is_telegram(&text[..start], word) {
            spans.push(SecretSpan { kind: Kind::ServiceKey("Telegram"), range: start..end });
        } else if matches!(word, "-u" | "--user") {
            if let Some(range) = after_user(text, end) {
                spans.push(SecretSpan { kind: Kind::Header, range });
            }
        } else if is_scheme_in_text(word) {
            if let Some(range) = after_scheme(text, end) {
                at = range.end.min(within.end);
                spans.push(SecretSpan { kind: Kind::Header, range });
            }
        } else if names == NamedSecrets::Counted
            // Few words are followed by a value, and checking that is faster than checking the
            // name.
            && (word.starts_with("--") || has_value_behind(text, end))
            && let Some(kind) = named(text, start, word)
            && let Some(range) = after_name(text, end).or_else(|| after_option(text, word, end))
        {
            at = range.end;
            spans.push(SecretSpan { kind, range: range.clone() });
            // The value of a name may be a sentence that contains a key.
            words(text, range, NamedSecrets::Ignored, spans);
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Outside of the header, `token` is an ordinary word.
fn is_scheme_in_text(word: &str) -> bool {
    word.eq_ignore_ascii_case("bearer") || word.eq_ignore_ascii_case("basic")
}

/// Returns the kind of the value after this name, if the name means a credential.
fn named(text: &str, start: usize, word: &str) -> Option<Kind> {
    if text[..start].ends_with(['?', '&']) && (is_secret_name(word) || is_secret_in_query(word)) {
        return Some(Kind::Query);
    }
    is_secret_name(word).then_some(Kind::Assignment)
}

/// Returns the credential after the name of its scheme. Words of a sentence are shorter.
fn after_scheme(text: &str, end: usize) -> Option<Range<usize>> {
    next_argument(text, end).filter(|value| value.len() >= 16 && !text[..value.start].ends_with(['"', '\'']))
}

/// Returns the value of a command-line option: `--password value`.
fn after_option(text: &str, word: &str, end: usize) -> Option<Range<usize>> {
    let value = word.starts_with("--").then(|| next_argument(text, end))??;
    (!text[value.clone()].starts_with('-')).then_some(value)
}

/// Returns the password in `curl -u user:password`.
fn after_user(text: &str, end: usize) -> Option<Range<usize>> {
    let value = next_argument(text, end)?;
    let colon = text[value.clone()].find(':')?;
    Some(value.start + colon + 1..value.end)
}

/// Returns the argument after a word and its spaces.
fn next_argument(text: &str, end: usize) -> Option<Range<usize>> {
    let value = text[end..].strip_prefix(' ')?.trim_start_matches(' ');
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let start = text.len() - value.len() + quote.map_or(0, char::len_utf8);
    let stop = value_end(text, start, quote);
    (stop > start).then_some(start..stop)
}

/// Returns the value after a name: `name=value`, `name: value`, `"name":"value"`.
fn after_name(text: &str, end: usize) -> Option<Range<usize>> {
    let rest = behind_name(text, end).strip_prefix([':', '='])?;
    let value = rest.trim_start_matches([' ', '\\']);
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let start = text.len() - value.len() + quote.map_or(0, char::len_utf8);
    let mut stop = value_end(text, start, quote);
    // In `Authorization: Bearer abc`, the secret is the second word.
    if quote.is_none() && real::is_scheme(&text[start..stop]) && text[stop..].starts_with(' ') {
        stop = value_end(text, stop + 1, None);
    }
    (stop > start).then_some(start..stop)
}

/// Returns whether a name is followed by a value.
fn has_value_behind(text: &str, end: usize) -> bool {
    match text.as_bytes().get(end) {
        Some(b':' | b'=') => true,
        Some(b'"' | b'\'' | b'\\' | b' ') => behind_name(text, end).starts_with([':', '=']),
        _ => false,
    }
}

/// Returns the text after a name and its closing quotes.
fn behind_name(text: &str, end: usize) -> &str {
    text[end..].trim_start_matches(['"', '\'', '\\', ' '])
}

fn value_end(text: &str, start: usize, quote: Option<char>) -> usize {
    let ends = |c: char| match quote {
        Some(quote) => c == quote,
        None => c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ';' | '&' | ')' | '}' | ']' | '<' | '>'),
    };
    text[start..].find(ends).map_or(text.len(), |end| start + end)
}
