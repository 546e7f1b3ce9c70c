//! The names of files and folders that are not finished. They are the server's own, and nobody sees them.
use super::path::Whole;

pub(crate) const PREFIX: &str = ".overt-tmp-";
/// Hexadecimal digits after the prefix.
pub(crate) const DIGITS: usize = 24;

/// Whether a name is one of ours: nobody else's file is called so.
pub(crate) fn is_ours(name: &str) -> bool {
    let digits = |rest: &str| rest.len() == DIGITS && rest.bytes().all(|byte| byte.is_ascii_hexdigit());
    name.strip_prefix(PREFIX).is_some_and(digits)
}

/// Whether a path leads to, or through, something that is not finished.
pub(super) fn is_unfinished(path: &Whole) -> bool {
    // Nearly no path has the prefix anywhere.
    path.as_str().contains(PREFIX) && path.as_str().split('/').any(is_ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_names_are_ours() {
        assert!(is_ours(".overt-tmp-00000000000000000000000f"));
        for other in [
            "",
            ".overt-tmp-",
            ".overt-tmp-x",
            "overt-tmp-000000000000000000000000",
            ".overt-tmp-00000000000000000000000g",
        ] {
            assert!(!is_ours(other), "{other}");
        }
    }
}
