//! Checks the path of a skill's reference (F-12).

/// The reason why a path is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReferencePathError {
    /// The path is absolute or contains `..`.
    Leaves,
    /// The path is not below `references/`.
    Elsewhere,
    NotMarkdown,
    /// The path contains NUL or another control character.
    Character,
}

/// Returns the path in its normal form, without surrounding blanks, `.` and double slashes.
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
