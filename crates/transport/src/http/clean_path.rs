//! Turns the path of a request into the name of a document. A path that passes has only one
//! meaning, so no two readers can understand it differently, and no path leads out of the documents
//! (CARD-09).
use percent_encoding::percent_decode_str;

/// Decodes an absolute path. Returns `None` if a segment is empty, `.` or `..`, if an escape is
/// broken or decodes to a separator, a percent sign or a control character, or if the bytes are not
/// UTF-8.
pub(super) fn clean_path(asked: &str) -> Option<String> {
    if !escapes_are_whole(asked) {
        return None;
    }
    let segments = asked.strip_prefix('/')?;
    if segments.is_empty() {
        return Some("/".into());
    }
    let mut clean = String::with_capacity(asked.len());
    for segment in segments.split('/') {
        let segment = percent_decode_str(segment).decode_utf8().ok()?;
        // A remaining percent sign could later be decoded a second time.
        let is_plain = !segment.contains(['/', '\\', '%']) && !segment.chars().any(char::is_control);
        if !is_plain || matches!(&*segment, "" | "." | "..") {
            return None;
        }
        clean.push('/');
        clean.push_str(&segment);
    }
    Some(clean)
}

fn escapes_are_whole(path: &str) -> bool {
    path.split('%').skip(1).all(|rest| {
        rest.len() >= 2 && rest.is_char_boundary(2) && rest[..2].bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_decoded_once() {
        for (asked, clean) in [
            ("/", "/"),
            ("/llms.txt", "/llms.txt"),
            ("/.well-known/mcp-tools/read_file.json", "/.well-known/mcp-tools/read_file.json"),
            ("/%6clms.txt", "/llms.txt"),
            ("/a%20b", "/a b"),
            ("/caf%C3%A9", "/café"),
            ("/...", "/..."),
            ("/..a/b..", "/..a/b.."),
        ] {
            assert_eq!(clean_path(asked).as_deref(), Some(clean), "{asked}");
        }
    }

    #[test]
    fn card_09_what_could_lead_elsewhere_is_no_name() {
        for asked in [
            "",
            "*",
            "llms.txt",
            "//",
            "//llms.txt",
            "/llms.txt/",
            "/a//b",
            "/.",
            "/..",
            "/a/../llms.txt",
            "/a/./llms.txt",
            "/%2e",
            "/%2e%2e/etc/passwd",
            "/.%2E/etc/passwd",
            "/a%2fb",
            "/..%2f..%2fetc%2fpasswd",
            "/a%5cb",
            "/a\\b",
            "/a%00",
            "/a%0a",
            "/a%7f",
            "/%252e%252e",
            "/%25",
            "/%",
            "/%2",
            "/%zz",
            "/%+1",
            "/%c0%ae%c0%ae",
            "/%c0%af",
            "/%e0%80%af",
            "/%ff",
            "/a%c2%80",
        ] {
            assert_eq!(clean_path(asked), None, "{asked}");
        }
    }

    proptest! {
        #[test]
        fn card_09_a_clean_path_is_what_it_seems(asked in "/?([a-c.%2eEfF5cC0/\\\\é]{0,3}/?){0,6}") {
            if let Some(clean) = clean_path(&asked) {
                prop_assert!(clean.starts_with('/'));
                prop_assert!(!clean.contains(['%', '\\', '\0']));
                // A clean path stays clean, and a file system sees the same names in it.
                prop_assert_eq!(clean_path(&clean), Some(clean.clone()));
                let parts = std::path::Path::new(&clean).components().skip(1);
                prop_assert!(parts.into_iter().all(|part| matches!(part, std::path::Component::Normal(_))));
            }
        }
    }
}
