//! The addresses of artifacts, and what is there.

/// The media type of a page.
pub(super) const PAGE: &str = "text/html";
/// The media type of a diff.
pub(super) const DIFF: &str = "text/x-diff";
/// What every address begins with.
const SCHEME: &str = "ui://";
/// What the address of a diff ends with.
const DIFF_ENDING: &str = ".diff";
/// The variable of the template.
const VARIABLE: &str = "/{id}";

/// The address of a page.
pub(super) fn address(tool: &str, name: &str) -> String {
    format!("{SCHEME}{tool}/{name}")
}

/// The address of a diff.
pub(super) fn diff_address(tool: &str, name: &str) -> String {
    address(tool, name) + DIFF_ENDING
}

/// The template of all addresses of a tool.
pub(super) fn template_of(tool: &str) -> String {
    format!("{SCHEME}{tool}{VARIABLE}")
}

/// The tool whose template this is.
pub(super) fn tool_of(template: &str) -> Option<&str> {
    template.strip_prefix(SCHEME)?.strip_suffix(VARIABLE)
}

/// The name of the artifact, and whether its diff is meant.
pub(super) fn name_of(id: &str) -> (&str, bool) {
    match id.strip_suffix(DIFF_ENDING) {
        Some(name) => (name, true),
        None => (id, false),
    }
}
