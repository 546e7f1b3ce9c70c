//! The path of a reference of a skill (F-12).

/// Why a path is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReferencePathError {
    /// Absolute, or with `..`.
    Leaves,
    /// Not below `references/`.
    Elsewhere,
    NotMarkdown,
    /// A NUL, or another control character.
    Character,
}

/// The path in its normal form: blanks around it, `.` and double slashes are left out.
pub(super) fn reference_path(path: &str) -> Result<String, ReferencePathError> {
    let path = path.trim();
    if path.contains(char::is_control) {
        return Err(ReferencePathError::Character);
    }
    let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    if path.starts_with('/') || parts.contains(&"..") {
        return Err(ReferencePathError::Leaves);
    }
    let [first, .., last] = parts.as_slice() else { return Err(ReferencePathError::Elsewhere) };
    if *first != "references" {
        return Err(ReferencePathError::Elsewhere);
    }
    let is_markdown =
        last.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && end.eq_ignore_ascii_case("md"));
    if !is_markdown {
        return Err(ReferencePathError::NotMarkdown);
    }
    Ok(parts.join("/"))
}
