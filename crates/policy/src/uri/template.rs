//! Matches URIs against URI templates: `{name}` matches one path segment, `{+name}` and `{name*}`
//! match the rest.
use std::collections::BTreeMap;

/// The values of a template's variables.
pub type Variables = BTreeMap<String, String>;

/// A parsed template.
#[derive(Debug, Clone)]
pub struct UriTemplate {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(String),
    Variable { name: String, greedy: bool },
}

impl UriTemplate {
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            if open > 0 {
                parts.push(Part::Literal(rest[..open].into()));
            }
            let close = rest[open..].find('}').ok_or("a `{` is not closed")? + open;
            let inside = &rest[open + 1..close];
            let name = inside.trim_start_matches('+').trim_end_matches('*');
            if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                return Err(format!("`{{{inside}}}` is not a variable; names have letters, digits and `_`"));
            }
            if matches!(parts.last(), Some(Part::Variable { .. })) {
                return Err(format!("`{{{inside}}}` follows another variable with nothing between them"));
            }
            parts.push(Part::Variable { name: name.into(), greedy: inside.len() > name.len() });
            rest = &rest[close + 1..];
        }
        if !rest.is_empty() {
            parts.push(Part::Literal(rest.into()));
        }
        Ok(Self { parts })
    }

    pub fn has_variable(&self, wanted: &str) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Variable { name, .. } if name == wanted))
    }

    /// Returns the variables if the URI matches. Values are decoded; a decoded value may contain
    /// any character.
    pub fn matches(&self, uri: &str) -> Option<Variables> {
        let mut variables = Variables::new();
        let mut rest = uri;
        for (index, part) in self.parts.iter().enumerate() {
            match part {
                Part::Literal(text) => rest = rest.strip_prefix(text.as_str())?,
                Part::Variable { name, greedy } => {
                    let end = match self.parts.get(index + 1) {
                        Some(Part::Literal(next)) if *greedy => rest.rfind(next.as_str())?,
                        Some(Part::Literal(next)) => rest.find(next.as_str())?,
                        _ => rest.len(),
                    };
                    let value = &rest[..end];
                    if value.is_empty() || (!greedy && value.contains('/')) {
                        return None;
                    }
                    variables.insert(name.clone(), percent_decoded(value)?);
                    rest = &rest[end..];
                }
            }
        }
        rest.is_empty().then_some(variables)
    }
}

fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let digits = [bytes.next()?, bytes.next()?];
            out.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matched(template: &str, uri: &str) -> Option<String> {
        let variables = UriTemplate::parse(template).unwrap().matches(uri)?;
        Some(
            variables
                .into_iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect::<Vec<_>>()
                .join(" "),
        )
    }

    #[test]
    fn templates_match_uris() {
        for (template, uri, wanted) in [
            ("test://{id}/data", "test://7/data", Some("id=7")),
            ("test://{id}/data", "test://a%20b/data", Some("id=a b")),
            ("test://{id}/data", "test:///data", None),
            ("test://{id}/data", "test://7/data/more", None),
            ("test://{id}", "test://a/b", None),
            ("file:///{+path}", "file:///a/b.md", Some("path=a/b.md")),
            ("docs://{path*}/raw", "docs://a/b/raw", Some("path=a/b")),
            ("x://{a}-{b}", "x://1-2", Some("a=1 b=2")),
            ("x://{a}", "x://%zz", None),
            ("plain://x", "plain://x", Some("")),
        ] {
            assert_eq!(matched(template, uri).as_deref(), wanted, "{template} {uri}");
        }
    }

    #[test]
    fn bad_templates_are_refused() {
        for bad in ["x://{", "x://{}", "x://{a b}", "x://{a}{b}"] {
            assert!(UriTemplate::parse(bad).is_err(), "{bad}");
        }
    }
}
