//! Directories in which a server may work.
use std::path::Path;

use crate::error::{CommandError, user_error};

/// A directory, in the form in which a server is told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Root {
    pub(crate) uri: String,
    pub(crate) name: String,
}

impl Root {
    /// Resolves a path. A server does not know our working directory, so it is told the canonical
    /// path.
    pub(super) fn resolve(path: &Path) -> Result<Self, CommandError> {
        let error = |source: std::io::Error| {
            user_error(format!("`--root {}` is not a directory that can be opened", path.display()))
                .caused_by(source)
        };
        let absolute = std::fs::canonicalize(path).map_err(error)?;
        if !absolute.is_dir() {
            return Err(error(std::io::ErrorKind::NotADirectory.into()));
        }
        let name =
            absolute.file_name().map_or_else(|| "/".into(), |name| name.to_string_lossy().into_owned());
        Ok(Self { uri: file_uri(&absolute), name })
    }
}

fn file_uri(path: &Path) -> String {
    let mut uri = "file://".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(*byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_escaped_as_uris() {
        assert_eq!(file_uri(Path::new("/a b/ü#?")), "file:///a%20b/%C3%BC%23%3F");
    }
}
