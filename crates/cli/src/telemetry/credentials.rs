//! What looks like a credential: names of members, and known forms of keys inside text. Pure. Better a word too many
//! taken out than a key left in.
use std::borrow::Cow;

/// What stands in the place of a secret.
pub(super) const HIDDEN: &str = "[redacted]";

/// Names that mean a secret wherever these letters are in them.
const INSIDE: [&str; 6] = ["password", "secret", "apikey", "privatekey", "credential", "accesskey"];
/// Names that mean a secret at their end.
const AT_END: [&str; 10] = [
    "token",
    "passwd",
    "passphrase",
    "cookie",
    "cookies",
    "sessionid",
    "requeststate",
    "connectionstring",
    "signingkey",
    // The handle of a session that is held for a newer client.
    "devovertsession",
];
/// Names that mean one as a whole.
const WHOLE: [&str; 10] =
    ["auth", "authorization", "proxyauthorization", "pwd", "pass", "jwt", "otp", "pin", "tokens", "bearer"];
/// Names that only look like one.
const HARMLESS: [&str; 1] = ["progresstoken"];

/// How keys of well-known services begin, and how long they are at least.
const KEYS: [(&str, usize); 25] = [
    ("sk-", 20),
    ("sk_live_", 16),
    ("sk_test_", 16),
    ("rk_live_", 16),
    ("whsec_", 16),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("xoxa-", 16),
    ("xoxb-", 16),
    ("xoxp-", 16),
    ("xoxr-", 16),
    ("xoxs-", 16),
    ("xapp-", 16),
    ("AIza", 30),
    ("ya29.", 20),
    ("hf_", 20),
    ("npm_", 20),
    ("pypi-", 20),
    ("dop_v1_", 20),
    ("SG.", 30),
];

/// Whether a member of this name holds a credential, whatever the case and the separators.
pub(super) fn is_secret_name(name: &str) -> bool {
    // A name is short; what is long is text.
    if name.len() > 64 {
        return false;
    }
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let plain = plain.trim_end_matches(|c: char| c.is_ascii_digit());
    !HARMLESS.contains(&plain)
        && (WHOLE.contains(&plain)
            || INSIDE.iter().any(|part| plain.contains(part))
            || AT_END.iter().any(|end| plain.ends_with(end)))
}

/// The text without the credentials in it.
pub(super) fn hide(text: &str) -> Cow<'_, str> {
    let text = without(text, "-----BEGIN ", private_key);
    let text = and_then(text, |text| without(text, "://", user_info));
    and_then(text, words)
}

/// An address without user, query and fragment, where keys may be.
pub(super) fn bare_address(address: &str) -> Cow<'_, str> {
    let bare = address.split(['?', '#']).next().unwrap_or_default();
    hide(bare)
}

fn and_then<'a>(text: Cow<'a, str>, next: impl Fn(&str) -> Cow<'_, str>) -> Cow<'a, str> {
    let changed = match next(&text) {
        Cow::Borrowed(_) => None,
        Cow::Owned(changed) => Some(changed),
    };
    changed.map_or(text, Cow::Owned)
}

/// Takes out what `find` finds after each `mark`: a range counted from there.
fn without<'a>(
    text: &'a str,
    mark: &str,
    find: impl Fn(&str) -> Option<std::ops::Range<usize>>,
) -> Cow<'a, str> {
    let mut out = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = text[at..].find(mark) {
        at += found + mark.len();
        if let Some(secret) = find(&text[at..]) {
            out.push_str(&text[copied..at + secret.start]);
            out.push_str(HIDDEN);
            copied = at + secret.end;
            at = copied;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// The inside of a private key, after its `-----BEGIN `. One without an end reaches to the end of the text.
fn private_key(after: &str) -> Option<std::ops::Range<usize>> {
    let head = after.find("-----")?;
    if !after[..head].ends_with("PRIVATE KEY") && !after[..head].ends_with("PRIVATE KEY BLOCK") {
        return None;
    }
    let start = head + "-----".len();
    Some(start..after[start..].find("-----END").map_or(after.len(), |end| start + end))
}

/// What stands before the `@` of an address, after its `://`.
fn user_info(after: &str) -> Option<std::ops::Range<usize>> {
    let authority =
        after.find(|c: char| matches!(c, '/' | '?' | '#' | '"' | '\'' | '<' | '>') || c.is_whitespace());
    let authority = &after[..authority.unwrap_or(after.len())];
    authority.rfind('@').filter(|end| *end > 0).map(|end| 0..end)
}

/// Takes out keys of known forms, what follows `Bearer` or `Basic`, and what follows the name of a credential.
fn words(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut copied, mut at) = (0, 0);
    while at < text.len() {
        let Some(start) = text[at..].find(is_word).map(|start| at + start) else { break };
        let end = text[start..].find(|c| !is_word(c)).map_or(text.len(), |end| start + end);
        let word = &text[start..end];
        let secret = if is_key(word) {
            Some(start..end)
        } else if is_scheme(word) {
            after_scheme(text, end)
        } else if is_secret_name(word) {
            after_name(text, end)
        } else {
            None
        };
        at = end;
        if let Some(secret) = secret {
            out.push_str(&text[copied..secret.start]);
            out.push_str(HIDDEN);
            copied = secret.end;
            at = copied;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

fn is_key(word: &str) -> bool {
    let word = word.trim_matches('.');
    let known = KEYS.iter().any(|(start, least)| word.starts_with(start) && word.len() >= *least);
    // Ids of AWS keys: twenty capital letters and digits.
    let aws = word.len() == 20
        && (word.starts_with("AKIA") || word.starts_with("ASIA"))
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    // JSON Web Tokens begin with `{"` in base64.
    let jwt = word.starts_with("eyJ") && word.contains('.') && word.len() >= 20;
    known || aws || jwt
}

fn is_scheme(word: &str) -> bool {
    word.eq_ignore_ascii_case("bearer") || word.eq_ignore_ascii_case("basic")
}

/// The credential after the name of its scheme. Words of a sentence are shorter.
fn after_scheme(text: &str, end: usize) -> Option<std::ops::Range<usize>> {
    let start = end + (text[end..].len() - text[end..].trim_start_matches(' ').len());
    let value = value_end(text, start, None);
    (start > end && value - start >= 16).then_some(start..value)
}

/// The value after a name: `name=value`, `name: value`, `"name":"value"`.
fn after_name(text: &str, end: usize) -> Option<std::ops::Range<usize>> {
    let rest = text[end..].trim_start_matches(['"', '\'', '\\', ' ']);
    let rest = rest.strip_prefix([':', '='])?;
    let value = rest.trim_start_matches([' ', '\\']);
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let start = text.len() - value.len() + quote.map_or(0, char::len_utf8);
    let mut stop = value_end(text, start, quote);
    // `Authorization: Bearer abc` has its secret in the second word.
    if quote.is_none() && is_scheme(&text[start..stop]) && text[stop..].starts_with(' ') {
        stop = value_end(text, stop + 1, None);
    }
    (stop > start).then_some(start..stop)
}

fn value_end(text: &str, start: usize, quote: Option<char>) -> usize {
    let ends = |c: char| match quote {
        Some(quote) => c == quote,
        None => c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ';' | '&' | ')' | '}' | ']' | '<' | '>'),
    };
    text[start..].find(ends).map_or(text.len(), |end| start + end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_credentials_are_known_in_every_spelling() {
        for name in [
            "authorization",
            "Authorization",
            "AUTHORIZATION",
            "Proxy-Authorization",
            "token",
            "access_token",
            "accessToken",
            "refresh-token",
            "id_token",
            "tokens",
            "password",
            "Password",
            "db_password",
            "passwordHash",
            "passwd",
            "passphrase",
            "secret",
            "client_secret",
            "clientSecret",
            "aws_secret_access_key",
            "api_key",
            "apiKey",
            "API-KEY",
            "x-api-key",
            "apikeys",
            "private_key",
            "credential",
            "credentials",
            "cookie",
            "Set-Cookie",
            "session_id",
            "mcp-session-id",
            "requestState",
            "token2",
            "auth",
            "pwd",
            "jwt",
            "pin",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "progressToken",
            "maxTokens",
            "inputTokens",
            "name",
            "author",
            "key",
            "keys",
            "tokenizer",
            "passed",
            "compass",
            "path",
            "description",
            "cursor",
            "id",
            "spin",
            "authority",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

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
