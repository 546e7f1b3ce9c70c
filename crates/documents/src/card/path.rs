//! Tool names in paths and file names. A name is untrusted text: any name becomes a single path
//! segment that leads nowhere else (CARD-09).
use url::Url;

/// The folder of the cards, each in a file `<segment>.json`.
pub const WELL_KNOWN: &str = "/.well-known/mcp-tools/";
/// The segment of the index, in place of a tool's segment.
pub const INDEX: &str = "index";
/// The file name of the index.
pub const INDEX_FILE: &str = "index.json";
/// The most bytes of a segment. Names have at most 128 characters, so no segment is longer.
const LONGEST: usize = 4 << 10;

/// Returns the name as one path segment, without `.json`. Letters, digits, `_`, `-` and inner dots
/// stay; every other byte becomes `~` and two hexadecimal digits. Different names have different
/// segments.
pub fn segment_of(tool: &str) -> String {
    if tool.is_empty() {
        return "~".to_owned();
    }
    let mut segment = String::with_capacity(tool.len());
    for (index, byte) in tool.bytes().enumerate() {
        let stays = byte.is_ascii_alphanumeric()
            || matches!(byte, b'_' | b'-')
            || (byte == b'.' && index > 0 && index + 1 < tool.len());
        // A tool may have the name of the index.
        if stays && !(index == 0 && tool == INDEX) {
            segment.push(char::from(byte));
        } else {
            segment.push_str(&format!("~{byte:02X}"));
        }
    }
    segment
}

/// Returns the name of this segment, or `None` if [`segment_of`] makes it from no name.
pub fn name_of(segment: &str) -> Option<String> {
    if segment.len() > LONGEST {
        return None;
    }
    let mut bytes = Vec::with_capacity(segment.len());
    if segment != "~" {
        let mut rest = segment.bytes();
        while let Some(byte) = rest.next() {
            let byte = match byte {
                b'~' => {
                    let digits = [rest.next()?, rest.next()?];
                    u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
                }
                byte => byte,
            };
            bytes.push(byte);
        }
    }
    let name = String::from_utf8(bytes).ok()?;
    (segment_of(&name) == segment).then_some(name)
}

/// Returns the address of the card beside the MCP endpoint at `mcp_url`.
pub fn url_of(tool: &str, mcp_url: &str) -> Option<String> {
    let url = Url::parse(mcp_url).ok()?;
    url.join(&format!("{WELL_KNOWN}{}.json", segment_of(tool))).ok().map(String::from)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn card_09_no_name_leads_anywhere_else() {
        for (name, segment) in [
            ("", "~"),
            ("billing-lookup", "billing-lookup"),
            ("admin.tools.list", "admin.tools.list"),
            ("snake_Case9", "snake_Case9"),
            ("..", "~2E~2E"),
            (".", "~2E"),
            (".hidden", "~2Ehidden"),
            ("end.", "end~2E"),
            ("../../etc/passwd", "~2E.~2F..~2Fetc~2Fpasswd"),
            ("a/b", "a~2Fb"),
            ("a\\b", "a~5Cb"),
            ("a%2fb", "a~252fb"),
            ("~", "~7E"),
            ("a b\n\0", "a~20b~0A~00"),
            ("é🔥", "~C3~A9~F0~9F~94~A5"),
            ("index", "~69ndex"),
            ("C:", "C~3A"),
        ] {
            assert_eq!(segment_of(name), segment);
            assert_eq!(name_of(segment).as_deref(), Some(name));
        }
        for segment in ["index", "..", "a/b", "a b", "~7", "~zz", "~2f", "~41", "~FF", "a.", "%2e", "é"] {
            assert_eq!(name_of(segment), None, "{segment}");
        }
        assert_eq!(name_of(&"a".repeat(5000)), None);
        let url = url_of("../x?y#z", "https://example.com/deep/mcp?q");
        assert_eq!(url.as_deref(), Some("https://example.com/.well-known/mcp-tools/~2E.~2Fx~3Fy~23z.json"));
        assert_eq!(url_of("x", "no address"), None);
    }

    proptest! {
        #[test]
        fn card_09_every_name_has_a_segment_of_its_own(name in "(\\PC|[./~% a-z]|\\x00|\n){0,40}") {
            let segment = segment_of(&name);
            prop_assert!(!segment.is_empty() && segment != "." && segment != "..");
            let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.~".contains(&byte);
            prop_assert!(segment.bytes().all(is_safe), "{}", segment);
            prop_assert_eq!(name_of(&segment), Some(name));
        }

        #[test]
        fn card_09_a_segment_is_read_one_way_or_not_at_all(segment in "[~a-zA-F0-9./%]{0,20}") {
            if let Some(name) = name_of(&segment) {
                prop_assert_eq!(segment_of(&name), segment);
            }
        }
    }
}
