//! The addresses of the project, from the metadata of the package (D-13).

pub(crate) const HOMEPAGE: Option<&str> = address(env!("CARGO_PKG_HOMEPAGE"));
pub(crate) const REPOSITORY: Option<&str> = address(env!("CARGO_PKG_REPOSITORY"));

/// A package without an address has an empty one.
const fn address(text: &str) -> Option<&str> {
    if text.is_empty() { None } else { Some(text) }
}
