//! A path as its components. Nothing is resolved: a path that would have to be is none.

/// The leading `/` of an absolute path is a component of its own, so that it is never confused with a relative one.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(Vec<Box<str>>);

const ROOT: &str = "/";
const MOST_BYTES: usize = 4096;

impl Path {
    /// None if it has `.`, `..`, an empty component, or a NUL. A `/` at the end says nothing; the empty path is the place
    /// that relative ones begin at.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > MOST_BYTES || text.contains('\0') {
            return None;
        }
        let (mut components, rest) = match text.strip_prefix('/') {
            Some(rest) => (vec![ROOT.into()], rest),
            None => (Vec::new(), text),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        if !rest.is_empty() {
            for component in rest.split('/') {
                if matches!(component, "" | "." | "..") {
                    return None;
                }
                components.push(component.into());
            }
        } else if text.len() > 1 {
            return None;
        }
        Some(Self(components))
    }

    /// The path from this one to the other; none if the other is not beneath it. Empty if both are the same.
    pub(super) fn to(&self, other: &Self) -> Option<String> {
        let rest = other.0.strip_prefix(self.0.as_slice())?;
        // An absolute path is not beneath the place that relative ones begin at.
        (rest.first().is_none_or(|first| &**first != ROOT)).then(|| rest.join("/"))
    }

    pub fn is_beneath(&self, other: &Self) -> bool {
        other.to(self).is_some()
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0.split_first() {
            Some((first, rest)) if &**first == ROOT => write!(f, "/{}", rest.join("/")),
            _ => f.write_str(&self.0.join("/")),
        }
    }
}
