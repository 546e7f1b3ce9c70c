//! `{parameter}` in commands and templates.

/// Returns the names in braces, each cut at the first character that a parameter's name can't have:
/// `{path}` and `{edits[0].text}` name `path` and `edits`. A doubled brace is a literal brace.
pub(crate) fn names(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let start = rest.find('{')?;
            let inside = &rest[start + 1..];
            if let Some(after) = inside.strip_prefix('{') {
                rest = after;
                continue;
            }
            let end = inside.find('}')?;
            rest = &inside[end + 1..];
            let name = &inside[..end];
            let plain = name.find(['.', '[', ':', '|']).map_or(name, |end| &name[..end]);
            return Some(plain.trim());
        }
    })
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn finds_the_parameters() {
        for (text, found) in [
            ("acme project create --name {name} --type {type}", vec!["name", "type"]),
            ("nothing here", vec![]),
            ("{{literal}} {real}", vec!["real"]),
            ("{edits[0].text} {a.b}", vec!["edits", "a"]),
            ("{open", vec![]),
            ("{}", vec![""]),
        ] {
            assert_eq!(names(text).collect::<Vec<_>>(), found, "{text}");
        }
    }
}
