//! Addresses: `skill://PATH`, and the addresses of seed 001 below `resource://`.
use overt_policy::uri::ResourceUri;

pub(super) const SKILL: &str = "skill://";
pub(super) const SKILLS: &str = "resource://skills/";
pub(super) const INDEX: &str = "resource://catalog/skills_index";
pub(super) const RECORDS: &str = "resource://catalog/skills/";
/// The list of files that FastMCP clients read.
pub(super) const MANIFEST: &str = "_manifest";

/// Returns the address of a path such as `pdf/SKILL.md`. `None` if the path contains a name that
/// URIs may not have, so that no client could ask for it.
pub(super) fn of_path(path: &str) -> Option<String> {
    let mut uri = SKILL.to_owned();
    for (index, name) in path.split('/').enumerate() {
        if index > 0 {
            uri.push('/');
        }
        push_encoded(&mut uri, name);
    }
    // The policy must judge and forward the same text that is listed.
    ResourceUri::parse(&uri).is_ok_and(|canonical| canonical.as_str() == uri).then_some(uri)
}

pub(super) fn of_document(id: &str) -> String {
    format!("{SKILLS}{id}/document")
}

pub(super) fn of_reference(id: &str, reference: &str) -> String {
    format!("{SKILLS}{id}/references/{reference}")
}

/// Decodes an address below `skill://` into its path.
pub(super) fn path_of(uri: &str) -> Option<String> {
    let path = uri.strip_prefix(SKILL)?;
    if !path.contains('%') {
        return Some(path.to_owned());
    }
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                let text = std::str::from_utf8(&digits).ok()?;
                bytes.push(u8::from_str_radix(text, 16).ok()?);
            }
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

fn push_encoded(uri: &mut String, name: &str) {
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_stands_for_its_path() {
        for path in ["a/SKILL.md", "a/b c(1).md", "a/ü.md", "a/100%.md", "a/x:y@z", "a/q?x#y.md"] {
            let uri = of_path(path).unwrap();
            assert_eq!(path_of(&uri).as_deref(), Some(path), "{uri}");
        }
    }

    #[test]
    fn what_no_client_may_name_has_no_address() {
        for path in ["a/%41.md", "a/../b", "a/./b", "a//b", "a/b\\c", "a/b\u{1}"] {
            assert_eq!(of_path(path), None, "{path}");
        }
    }
}
