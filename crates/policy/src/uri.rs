//! An address as it is written and as a server may take it: lists hold for both, so that no other spelling passes them.
use std::borrow::Cow;

/// The address, and its plain spelling if that is another one: without percent escapes, without `.`, `..` and empty segments, the scheme
/// and the host in lower case.
pub(super) fn spellings(uri: &str) -> Vec<Cow<'_, str>> {
    let plain = plain(uri);
    if plain == uri { vec![Cow::Borrowed(uri)] } else { vec![Cow::Borrowed(uri), Cow::Owned(plain)] }
}

fn plain(uri: &str) -> String {
    let decoded = decoded(uri);
    let Some((scheme, rest)) = decoded.split_once(':') else { return decoded };
    let scheme = scheme.to_ascii_lowercase();
    let Some(rest) = rest.strip_prefix("//") else { return format!("{scheme}:{rest}") };
    let (host, path) = rest.find('/').map_or((rest, ""), |end| rest.split_at(end));
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split(['/', '\\']) {
        match segment {
            "" | "." => {}
            ".." => _ = segments.pop(),
            segment => segments.push(segment),
        }
    }
    let mut plain = format!("{scheme}://{}", host.to_ascii_lowercase());
    for segment in segments {
        plain.push('/');
        plain.push_str(segment);
    }
    if path.len() > 1 && path.ends_with('/') || path == "/" {
        plain.push('/');
    }
    plain
}

/// Without percent escapes, until there are none: a server may decode more than once.
fn decoded(text: &str) -> String {
    let mut text = text.to_owned();
    // Each round makes it shorter.
    while let Some(next) = decoded_once(&text) {
        text = next;
    }
    text
}

fn decoded_once(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    let mut changed = false;
    while let Some((first, after)) = rest.split_first() {
        let escape = (*first == b'%').then(|| after.get(..2)).flatten();
        let byte = escape
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        match byte {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
                changed = true;
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    changed.then(|| String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pol_21_every_spelling_is_the_same_address() {
        for uri in [
            "file:///secret/a",
            "file:///%73ecret/a",
            "file:///%2573ecret/a",
            "FILE:///x/../secret/./a",
            "file:///x/%2e%2e/secret/a",
            "file:////secret//a",
            "file:///x/..%2fsecret%2Fa",
            "file:///x\\..\\secret\\a",
        ] {
            assert_eq!(spellings(uri).last().unwrap(), "file:///secret/a", "{uri}");
        }
        assert_eq!(spellings("test://Host/a/").last().unwrap(), "test://host/a/");
        assert_eq!(spellings("ui://a/{x}"), ["ui://a/{x}"]);
        assert_eq!(spellings("urn:a:b").len(), 1);
        for uri in ["", "%", "%zz", ":", "://", "a://%ff", "no scheme"] {
            assert!(!spellings(uri).is_empty());
        }
    }
}
