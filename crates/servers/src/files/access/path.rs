//! Paths of clients, made absolute by their names alone. `..` removes the name before it, even if
//! that name is a link, so that no `..` ever reaches the system. `~`, `$` and `%` are ordinary
//! characters.
use super::super::error::{FileError, code};

/// Longest path that the system accepts, in bytes, with the terminating NUL.
const MOST_BYTES: usize = 4096;

/// An absolute path without `.`, `..`, empty names and NUL, such as `/` or `/a/b`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct AbsolutePath(String);

impl AbsolutePath {
    /// Makes a client's path absolute. Relative paths begin at `base`.
    pub(crate) fn of(text: &str, base: &Self) -> Result<Self, FileError> {
        let wrong = |problem: &str| {
            FileError::new(
                code::INVALID_PATH,
                problem,
                "Write a path such as `src/main.rs`, or an absolute one inside a root.",
            )
        };
        if text.is_empty() {
            return Err(wrong("the path is empty"));
        }
        if text.contains('\0') {
            return Err(wrong("the path holds a NUL character"));
        }
        let start = if text.starts_with('/') { "/" } else { base.as_str() };
        let mut absolute = Self(String::with_capacity(start.len() + 1 + text.len()));
        absolute.0.push_str(start);
        for name in text.split('/') {
            match name {
                "" | "." => {}
                ".." => absolute.pop(),
                name => absolute.push(name),
            }
            if absolute.0.len() >= MOST_BYTES {
                return Err(FileError::system(rustix::io::Errno::NAMETOOLONG, ""));
            }
        }
        Ok(absolute)
    }

    /// Wraps a path that the system reported. `None` if it is not absolute or contains NUL.
    pub(crate) fn from_system(text: &str) -> Option<Self> {
        (text.starts_with('/') && !text.contains('\0')).then(|| Self(text.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns `other` relative to this folder, without a leading `/`; empty if both are the same.
    /// `None` if `other` is not in this folder.
    pub(crate) fn inner<'a>(&self, other: &'a Self) -> Option<&'a str> {
        if self.0 == "/" {
            return Some(&other.0[1..]);
        }
        let rest = other.0.strip_prefix(&self.0)?;
        if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
    }

    /// The offset at which the inner part begins in the text of a path in this folder.
    pub(crate) fn inner_at(&self) -> usize {
        if self.0 == "/" { 1 } else { self.0.len() + 1 }
    }

    /// Splits the path into its folder and its name. `None` for `/`.
    pub(crate) fn split(&self) -> Option<(Self, &str)> {
        let (folder, name) = self.0.rsplit_once('/')?;
        if name.is_empty() {
            return None;
        }
        Some((Self(if folder.is_empty() { "/".to_owned() } else { folder.to_owned() }), name))
    }

    pub(crate) fn child(&self, name: &str) -> Self {
        let mut absolute = self.clone();
        absolute.push(name);
        absolute
    }

    fn push(&mut self, name: &str) {
        if !self.0.ends_with('/') {
            self.0.push('/');
        }
        self.0.push_str(name);
    }

    fn pop(&mut self) {
        let end = self.0.rfind('/').unwrap_or(0);
        self.0.truncate(end.max(1));
    }
}

impl std::fmt::Display for AbsolutePath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FS-17: each spelling has one outcome, by names alone.
    #[test]
    fn fs_17_every_spelling_has_one_outcome() {
        let base = AbsolutePath::of("/t/top", &AbsolutePath("/".to_owned())).unwrap();
        for (text, wanted) in [
            (".", "/t/top"),
            ("..", "/t"),
            ("../../../..", "/"),
            ("/", "/"),
            ("//", "/"),
            (".//a", "/t/top/a"),
            ("a/", "/t/top/a"),
            ("a/.", "/t/top/a"),
            ("a//b", "/t/top/a/b"),
            ("a/../secrets/x", "/t/top/secrets/x"),
            (" a", "/t/top/ a"),
            ("a ", "/t/top/a "),
            ("a\n", "/t/top/a\n"),
            ("C:\\x", "/t/top/C:\\x"),
            ("\\\\srv\\x", "/t/top/\\\\srv\\x"),
            ("~root/x", "/t/top/~root/x"),
            ("$HOME/x", "/t/top/$HOME/x"),
            ("%2e%2e/x", "/t/top/%2e%2e/x"),
            ("file:///etc/passwd", "/t/top/file:/etc/passwd"),
            ("../top-secret/s.txt", "/t/top-secret/s.txt"),
        ] {
            assert_eq!(AbsolutePath::of(text, &base).unwrap().as_str(), wanted, "{text:?}");
        }
        for text in ["", "a\0b", "\0"] {
            assert_eq!(AbsolutePath::of(text, &base).unwrap_err().code, code::INVALID_PATH, "{text:?}");
        }
        assert_eq!(AbsolutePath::of(&"a/".repeat(3000), &base).unwrap_err().code, code::NAME_TOO_LONG);
    }

    #[test]
    fn inner_goes_by_names() {
        let whole = |text: &str| AbsolutePath::from_system(text).unwrap();
        let root = whole("/t/top");
        assert_eq!(root.inner(&whole("/t/top")), Some(""));
        assert_eq!(root.inner(&whole("/t/top/a/b")), Some("a/b"));
        assert_eq!(root.inner(&whole("/t/top-secret")), None);
        assert_eq!(root.inner(&whole("/t")), None);
        assert_eq!(whole("/").inner(&whole("/a")), Some("a"));
        assert_eq!(whole("/a").split(), Some((whole("/"), "a")));
        assert_eq!(whole("/").split(), None);
    }
}
