//! Derives the path of a file below the directory of a skill from its URI. The server chooses the
//! URI, so everything is rejected that could leave the directory or that people could not see.
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use overt_wire::text::is_deceptive;
use unicode_normalization::UnicodeNormalization as _;

/// The longest file name on common systems, in bytes.
const MOST_NAME: usize = 255;
const MOST_PATH: usize = 1024;
const MOST_DEPTH: usize = 16;

/// The reason why a URI does not name a file of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PathProblem {
    #[error("is outside of the directory of the skill")]
    Outside,
    #[error("has a query or a fragment")]
    Query,
    #[error("has percent escapes that are not UTF-8")]
    Escapes,
    #[error("has an empty part, `.` or `..`")]
    Dots,
    #[error("has a slash, a backslash, a colon or a character that can't be seen in a name")]
    Characters,
    #[error(
        "is longer than {MOST_PATH} bytes, has a name longer than {MOST_NAME}, or more than {MOST_DEPTH} levels"
    )]
    Long,
    #[error("has a part `.git`, where programs look for commands to run")]
    Repository,
    #[error("is there twice, or differs from another file in capitals only")]
    Collision,
    #[error("is both a file and a directory")]
    FileAndDirectory,
}

/// Returns the path with `/` between its names.
pub(super) fn relative_path(uri: &str, directory: &str) -> Result<String, PathProblem> {
    let rest = uri.strip_prefix(directory).and_then(|rest| rest.strip_prefix('/'));
    let rest = rest.ok_or(PathProblem::Outside)?;
    if rest.contains(['?', '#']) {
        return Err(PathProblem::Query);
    }
    let names: Vec<String> =
        rest.split('/').map(decode).collect::<Option<_>>().ok_or(PathProblem::Escapes)?;
    names.iter().try_for_each(|name| check_name(name))?;
    let path = names.join("/");
    if path.len() > MOST_PATH || names.len() > MOST_DEPTH {
        return Err(PathProblem::Long);
    }
    Ok(path)
}

/// Checks one name of a path, or the name of the directory itself.
pub(super) fn check_name(name: &str) -> Result<(), PathProblem> {
    if matches!(name, "" | "." | "..") {
        return Err(PathProblem::Dots);
    }
    // Windows drops dots and spaces at the end, and reads a colon as a drive or a stream.
    if name.contains(['/', '\\', ':']) || name.chars().any(is_deceptive) || name.ends_with(['.', ' ']) {
        return Err(PathProblem::Characters);
    }
    if name.len() > MOST_NAME {
        return Err(PathProblem::Long);
    }
    if fold(name) == ".git" {
        return Err(PathProblem::Repository);
    }
    Ok(())
}

/// The paths of one skill. No two of them are the same path on any system.
#[derive(Debug, Default)]
pub(super) struct Paths {
    /// Files and directories by their folded paths, each with its original path.
    entries: HashMap<String, (String, Kind)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Directory,
}

impl Paths {
    pub(super) fn add(&mut self, path: &str) -> Result<(), PathProblem> {
        for (at, _) in path.match_indices('/') {
            self.add_one(&path[..at], Kind::Directory)?;
        }
        self.add_one(path, Kind::File)
    }

    fn add_one(&mut self, path: &str, kind: Kind) -> Result<(), PathProblem> {
        match self.entries.entry(fold(path)) {
            Entry::Vacant(place) => {
                place.insert((path.to_owned(), kind));
                Ok(())
            }
            Entry::Occupied(there) => match there.get() {
                (known, Kind::Directory) if kind == Kind::Directory && known == path => Ok(()),
                (_, there) if *there != kind => Err(PathProblem::FileAndDirectory),
                _ => Err(PathProblem::Collision),
            },
        }
    }
}

/// Folds a path as systems do that ignore capitals and the encoding of accents.
fn fold(path: &str) -> String {
    path.nfkc().flat_map(char::to_lowercase).nfkc().collect()
}

/// Decodes percent escapes. Returns `None` if an escape is broken or the bytes are not UTF-8.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        rest = after;
        if *byte != b'%' {
            bytes.push(*byte);
            continue;
        }
        let digits = std::str::from_utf8(after.get(..2)?).ok()?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &after[2..];
    }
    String::from_utf8(bytes).ok()
}
