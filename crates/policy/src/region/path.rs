//! A path as a text that can be compared name by name. Nothing is resolved: a path that would have
//! to be is none.

/// Absolute, `/a/b` and `/`; or relative, `a/b` and the empty path, which is the place that
/// relative ones begin at.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(Box<str>);

const ROOT: &str = "/";
const MOST_BYTES: usize = 4096;

impl Path {
    /// None if it has `.`, `..`, an empty name, or a NUL. A `/` at the end says nothing.
    pub fn parse(text: &str) -> Option<Self> {
        comparable(text).map(|text| Self(text.into()))
    }

    /// The path from this one to another that can be compared; none if the other is not beneath it.
    /// Empty if both are the same.
    pub(super) fn inner<'a>(&self, other: &'a str) -> Option<&'a str> {
        let is_absolute = other.starts_with(ROOT);
        match &*self.0 {
            // An absolute path is not beneath the place that relative ones begin at.
            "" => (!is_absolute).then_some(other),
            ROOT => other.strip_prefix(ROOT),
            own => match other.strip_prefix(own)? {
                "" => Some(""),
                rest => rest.strip_prefix(ROOT),
            },
        }
    }

    pub fn is_beneath(&self, other: &Self) -> bool {
        other.inner(&self.0).is_some()
    }
}

/// The text without a `/` at its end, if it can be compared name by name.
pub(super) fn comparable(text: &str) -> Option<&str> {
    if text.len() > MOST_BYTES || text.contains('\0') {
        return None;
    }
    let rest = text.strip_prefix(ROOT).unwrap_or(text);
    if rest.is_empty() {
        return Some(text);
    }
    let whole = text.strip_suffix(ROOT).unwrap_or(text);
    let rest = rest.strip_suffix(ROOT).unwrap_or(rest);
    rest.split(ROOT).all(|name| !matches!(name, "" | "." | "..")).then_some(whole)
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
