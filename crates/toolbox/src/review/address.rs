//! The addresses of artifacts, and their media types.

/// The media type of a page.
pub(super) const PAGE: &str = "text/html";
/// The media type of a diff.
pub(super) const DIFF: &str = "text/x-diff";
/// The prefix of every address.
const SCHEME: &str = "ui://";
/// The suffix of a diff's address.
const DIFF_ENDING: &str = ".diff";
/// The suffix of a template, with its variable.
const VARIABLE: &str = "/{id}";

/// Returns the address of a page.
pub(super) fn address(tool: &str, name: &str) -> String {
    format!("{SCHEME}{tool}/{name}")
}

/// Returns the address of a diff.
pub(super) fn diff_address(tool: &str, name: &str) -> String {
    address(tool, name) + DIFF_ENDING
}

/// Returns the URI template for all artifacts of a tool.
pub(super) fn template_of(tool: &str) -> String {
    format!("{SCHEME}{tool}{VARIABLE}")
}

/// Returns the tool that a template belongs to.
pub(super) fn tool_of(template: &str) -> Option<&str> {
    template.strip_prefix(SCHEME)?.strip_suffix(VARIABLE)
}

/// Returns the name of the artifact, and whether the id asks for its diff.
pub(super) fn name_of(id: &str) -> (&str, bool) {
    match id.strip_suffix(DIFF_ENDING) {
        Some(name) => (name, true),
        None => (id, false),
    }
}
