//! Spellings of URIs, and the laws of their canonical form.
use proptest::prelude::*;
use url::Url;

use super::{ResourceUri, UriError, normalised_pattern};

fn canonical(text: &str) -> Result<String, UriError> {
    ResourceUri::parse(text).map(|uri| uri.as_str().to_owned())
}

/// The spellings of finding A-12, and more.
#[test]
fn pol_21_a_file_has_one_canonical_uri() {
    for text in [
        "file:///secret/a",
        "FILE:///secret/a",
        "file:/secret/a",
        "file:secret/a",
        "file://localhost/secret/a",
        "file://LOCALHOST/secret/a",
        "file:////secret//a",
        "file:///secret/a/",
        "file:///x/../secret/./a",
        "file:///x/%2e%2E/secret/a",
        "file:///%73ecret/%61",
        "file:\\\\\\secret\\a",
        "file:///x\\..\\secret\\a",
    ] {
        assert_eq!(canonical(text).as_deref(), Ok("file:///secret/a"), "{text}");
        assert_eq!(ResourceUri::parse(text).unwrap().path(), Some("/secret/a"), "{text}");
    }
}

#[test]
fn other_uris_have_one_canonical_form_too() {
    for (text, expected) in [
        ("demo://resource/1", "demo://resource/1"),
        ("DEMO://resource/%31", "demo://resource/1"),
        ("demo://resource/a/../1", "demo://resource/1"),
        ("demo://resource/%2e/1", "demo://resource/1"),
        ("demo://resource/caf%c3%a9", "demo://resource/caf%C3%A9"),
        ("demo://resource/café", "demo://resource/caf%C3%A9"),
        ("demo://resource/%28", "demo://resource/%28"),
        ("demo://resource", "demo://resource"),
        ("demo://resource/", "demo://resource/"),
        ("demo://r/x?a=%2D&b=%26", "demo://r/x?a=-&b=%26"),
        ("HTTPS://Example.com:443/a", "https://example.com/a"),
        ("urn:isbn:1", "urn:isbn:1"),
        ("file:///a%28b", "file:///a(b"),
        ("file:///a%3Fb", "file:///a%3Fb"),
        ("file:///caf%C3%A9 ", "blank"),
    ] {
        match canonical(text) {
            Ok(found) => assert_eq!(found, expected, "{text}"),
            Err(error) => assert_eq!((error, expected), (UriError::Whitespace, "blank"), "{text}"),
        }
    }
}

#[test]
fn what_servers_read_in_different_ways_is_refused() {
    for (text, expected) in [
        (" demo://resource/1", UriError::Whitespace),
        ("demo://resource/1\n", UriError::Whitespace),
        ("demo://res\tource/1", UriError::Whitespace),
        ("demo://resource/a b", UriError::Whitespace),
        ("demo://resource/\u{2028}", UriError::Whitespace),
        ("file:///secret%2fa", UriError::EscapedSeparator),
        ("file:///secret%5Ca", UriError::EscapedSeparator),
        ("file:///secret%00", UriError::EscapedSeparator),
        ("file:///secret%0a", UriError::EscapedSeparator),
        ("file:///%2573ecret", UriError::EscapedTwice),
        ("file:///%25%37%33ecret", UriError::EscapedTwice),
        ("file:///%257%33ecret", UriError::EscapedTwice),
        ("file:///100%", UriError::BrokenEscape),
        ("file:///%zz", UriError::BrokenEscape),
        ("demo://a\\b", UriError::Backslash),
        ("demo://a/b\\..\\c", UriError::Backslash),
        ("demo://me@host/a", UriError::UserInfo),
        ("https://me:pass@host/a", UriError::UserInfo),
        ("demo://host/a#b", UriError::Fragment),
        ("file://server/share", UriError::NotAPath),
        ("file:///a?b", UriError::NotAPath),
        ("demo://host//a", UriError::DotSegment),
        ("demo:/..//", UriError::DotSegment),
        ("demo://host/a//", UriError::DotSegment),
        ("demo:a/../b", UriError::DotSegment),
        ("demo:%2e%2e/b", UriError::DotSegment),
        ("file:///%ff", UriError::NotUtf8),
        ("secret", UriError::NotAbsolute),
        ("/secret/a", UriError::NotAbsolute),
        ("", UriError::NotAbsolute),
    ] {
        assert_eq!(canonical(text), Err(expected), "{text:?}");
    }
}

#[test]
fn a_server_may_write_its_own_uris_as_it_likes() {
    for (text, expected) in [
        ("demo://resource/a b", Some("demo://resource/a%20b")),
        ("demo://host//a", Some("demo://host//a")),
        ("demo://host/a#b", Some("demo://host/a#b")),
        ("greeting", Some("greeting")),
        ("file:///My Files/a", Some("file:///My%20Files/a")),
        (" demo://a", None),
        ("demo://a\tb", None),
        ("demo://a/b%2fc", None),
        ("file:///a?b", None),
    ] {
        let listed = ResourceUri::parse_listed(text).map(|uri| uri.as_str().to_owned()).ok();
        assert_eq!(listed.as_deref(), expected, "{text:?}");
    }
}

#[test]
fn people_write_patterns_with_readable_names() {
    for (pattern, expected) in [
        ("file:///a/**", "file:///a/**"),
        ("FILE:///a/**", "file:///a/**"),
        ("file:/a/*", "file:///a/*"),
        ("file://localhost/a", "file:///a"),
        ("file:///caf%C3%A9/*", "file:///caf%C3%A9/*"),
        ("file:///%73ecret", "file:///secret"),
        ("demo://x/%2A", "demo://x/%2A"),
        ("**", "**"),
        ("*://a/{b,c}", "*://a/{b,c}"),
    ] {
        assert_eq!(normalised_pattern(pattern), expected, "{pattern}");
    }
    assert_eq!(normalised_pattern("demo://caf%C3%A9"), "demo://café");
    assert_eq!(ResourceUri::parse("demo://x/caf%C3%A9").unwrap().readable(), "demo://x/café");
}

#[test]
fn scopes_of_uris_are_their_folders_and_names() {
    let scope = |text: &str| ResourceUri::parse(text).unwrap().scope("My Server").to_string();
    for (text, expected) in [
        ("file:///secret/a", "read:file:/secret/a"),
        ("file:///", "read:file:/"),
        ("file:///a*b/c", "read:file:/"),
        ("demo://resource/1", "read:my-server:demo://resource/1"),
        ("demo://resource/", "read:my-server:demo://resource"),
        ("demo:///a", "read:my-server:demo:///a"),
        ("demo://r/1?x=a/b", "read:my-server:demo://r/1/?x=a%2Fb"),
        ("demo://r/1?x/..", "read:my-server:demo://r/1/?x%2F.."),
        ("urn:isbn:1", "read:my-server:urn:isbn:1"),
    ] {
        assert_eq!(scope(text), expected, "{text}");
        let parsed = crate::scope::Scope::parse(expected).unwrap();
        assert_eq!(parsed.to_string(), expected);
        assert_eq!(parsed, ResourceUri::parse(text).unwrap().scope("My Server"), "{text}");
    }
}

fn any_uri() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[a-zA-Z0-9._~-]{0,6}",
        2 => Just("..".to_owned()),
        1 => Just(".".to_owned()),
        1 => Just("%2e%2E".to_owned()),
        2 => "%[0-9a-fA-F]{2}",
        1 => "[!$&'()*+,;=:@é?# \\\\\\[\\]{}^|\"<>`]{1,3}",
    ];
    let start = prop_oneof![
        Just("file:///".to_owned()),
        Just("file:".to_owned()),
        Just("FILE://localhost/".to_owned()),
        Just("demo://host/".to_owned()),
        Just("Demo://Host".to_owned()),
        Just("https://Example.com:443/".to_owned()),
        Just("urn:x:".to_owned()),
        Just("a:/".to_owned()),
        Just(String::new()),
    ];
    (start, proptest::collection::vec(part, 0..6))
        .prop_map(|(start, parts)| format!("{start}{}", parts.join("/")))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::cases::cases(2_000)))]

    /// The canonical form is its own canonical form, and `url` reads both the same way.
    #[test]
    fn the_canonical_form_is_canonical(text in any_uri()) {
        let Ok(uri) = ResourceUri::parse(&text) else { return Ok(()) };
        prop_assert_eq!(&ResourceUri::parse(uri.as_str()), &Ok(uri.clone()), "{}", text);
        let (before, after) = (Url::parse(&text).unwrap(), Url::parse(uri.as_str()).unwrap());
        prop_assert_eq!(after.as_str(), uri.as_str(), "{}", text);
        prop_assert_eq!((before.scheme(), before.host_str(), before.port()), (after.scheme(), after.host_str(), after.port()));
        if let Some(path) = uri.path() {
            let opened = before.to_file_path().unwrap();
            let names = |path: &std::path::Path| path.components().collect::<std::path::PathBuf>();
            prop_assert_eq!(names(&opened), names(std::path::Path::new(path)), "{}", text);
        }
    }
}
