//! A path as a text that can be compared name by name. Nothing is resolved: a path that would have
//! to be resolved is rejected.

/// A path: absolute (`/a/b`, `/`) or relative (`a/b`). The empty path is the folder in which
/// relative paths begin.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(Box<str>);

const ROOT: &str = "/";
const MOST_BYTES: usize = 4096;

impl Path {
    /// Returns `None` if the path has `.`, `..`, an empty name, or a NUL. A trailing `/` is
    /// ignored.
    pub fn parse(text: &str) -> Option<Self> {
        comparable(text).map(|text| Self(text.into()))
    }

    /// Returns the path from this one to another comparable path; `None` if the other is not
    /// beneath it. Empty if both are the same.
    pub(super) fn inner<'a>(&self, other: &'a str) -> Option<&'a str> {
        let is_absolute = other.starts_with(ROOT);
        match &*self.0 {
            // An absolute path is not beneath the folder in which relative paths begin.
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

/// Returns the text without a trailing `/`; `None` if it can't be compared name by name.
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
