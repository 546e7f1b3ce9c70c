//! Path patterns. A path is compared as the most careful file system would compare it: without
//! regard to case, and without characters that some file systems ignore.

/// The names of a path, in the form in which they are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathNames(Vec<String>);

impl PathNames {
    pub fn of(path: &str) -> Self {
        Self(path.split('/').filter(|name| !name.is_empty()).map(folded).collect())
    }

    /// Adds a name at the end.
    pub fn push(&mut self, name: &str) {
        self.0.push(folded(name));
    }

    /// Removes the last name.
    pub fn pop(&mut self) {
        self.0.pop();
    }

    /// Returns whether the path ends with the pattern, at any depth. A pattern that ends in `/**`
    /// also matches everything beneath. `*` stands for any characters of one name.
    pub(super) fn matches(&self, pattern: &str) -> bool {
        match pattern.strip_suffix("/**") {
            Some(folder) => (1..=self.0.len()).any(|end| ends_with(&self.0[..end], folder)),
            None => ends_with(&self.0, pattern),
        }
    }

    /// Returns whether something that the pattern matches can be beneath this path, if this path is
    /// a link: the path ends with the first names of the pattern.
    pub(super) fn may_lead_to(&self, pattern: &str) -> bool {
        let pattern = pattern.strip_suffix("/**").unwrap_or(pattern);
        pattern.match_indices('/').any(|(end, _)| ends_with(&self.0, &pattern[..end]))
    }
}

/// Returns whether the last names are those of the pattern.
fn ends_with(names: &[String], pattern: &str) -> bool {
    let mut names = names.iter().rev();
    pattern.rsplit('/').all(|pattern| names.next().is_some_and(|name| matches_name(pattern, name)))
}

/// Returns whether a name in lower case matches a pattern with at most one `*`.
pub(super) fn matches_name(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern.eq_ignore_ascii_case(name),
        Some((start, end)) => {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
    }
}

/// Returns the name as file systems that ignore most would compare it. macOS ignores case and some
/// invisible characters; Windows ignores dots and blanks at the end, and what follows a colon names
/// a part of the same file.
fn folded(name: &str) -> String {
    let name = name.split_once(':').map_or(name, |(name, _)| name);
    let name = name.trim_end_matches(['.', ' ']);
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    let visible = name.chars().filter(|character| !is_ignored(*character));
    // Two steps, because `ſ` and `K` have a plain letter only in the other case.
    visible.flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

/// Whether HFS+ ignores the character in names.
fn is_ignored(character: char) -> bool {
    matches!(character, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}
