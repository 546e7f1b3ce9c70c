//! The files of one skill: their paths and sizes, and the bytes of the main file. Links that lead
//! out of the skill are reported and not followed.
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use overt_documents::skill::check::{Files, MOST_BYTES, Profile, Report, Source, check_for};

use super::find::FoundSkill;

/// The most files of one skill that are listed. The limits of all readers are lower.
const MOST_FILES: usize = 2_000;
const MOST_DEPTH: usize = 16;
/// The most files and directories of one skill that are listed. Directories can be empty.
const MOST_ENTRIES: usize = 20_000;

/// A skill as it was read.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) directory: PathBuf,
    /// The name of the directory.
    pub(super) name: String,
    pub(super) file: &'static str,
    pub(super) bytes: Result<Vec<u8>, String>,
    pub(super) files: Files,
}

impl Loaded {
    /// Returns `None` if the directory has no main file.
    pub(super) fn read(found: &FoundSkill) -> Option<Self> {
        let file = found.file?;
        let directory = &found.directory;
        let real = fs::canonicalize(directory).unwrap_or_else(|_| directory.clone());
        // `.` and `..` have no name of their own, so use the name of the real directory.
        let name = directory.file_name().or_else(|| real.file_name());
        let name = name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut files = Files::default();
        let mut entries = 0;
        let listed = list(&real, &real, 0, &mut entries, &mut files);
        let read = listed.map_err(|error| format!("can't be listed: {error}"));
        files.paths.sort();
        let bytes = read.and_then(|()| {
            if files.bad_links.iter().any(|link| link == file) {
                return Err("is a symbolic link that leaves the directory".to_owned());
            }
            bytes_of(&real.join(file)).map_err(|error| format!("can't be read: {error}"))
        });
        Some(Self { directory: directory.clone(), name, file, bytes, files })
    }

    /// Returns the text of the main file, or `None` if it can't be read or is not UTF-8.
    pub(super) fn text(&self) -> Option<&str> {
        std::str::from_utf8(self.bytes.as_ref().ok()?).ok()
    }

    /// Returns the path of the main file below the directory as it was given.
    pub(super) fn path(&self) -> PathBuf {
        self.directory.join(self.file)
    }

    pub(super) fn source(&self, tokens: Option<usize>) -> Option<Source<'_>> {
        let bytes = self.bytes.as_ref().ok()?;
        Some(Source { directory: &self.name, file: self.file, bytes, files: &self.files, tokens })
    }

    /// Checks the skill for these readers.
    pub(super) fn check(&self, tokens: Option<usize>, readers: &[Profile]) -> Report {
        match (self.source(tokens), &self.bytes) {
            (Some(source), _) => check_for(&source, readers),
            (None, Err(problem)) => Report::unreadable(problem),
            (None, Ok(_)) => Report::default(),
        }
    }
}

fn bytes_of(path: &Path) -> io::Result<Vec<u8>> {
    // Reading a pipe would block forever.
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let expected = usize::try_from(metadata.len()).unwrap_or(MOST_BYTES).min(MOST_BYTES);
    let mut bytes = Vec::with_capacity(expected + 1);
    File::open(path)?.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Adds the files below a directory.
fn list(
    root: &Path,
    directory: &Path,
    depth: usize,
    entries: &mut usize,
    files: &mut Files,
) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        *entries += 1;
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        let Ok(relative) = path.strip_prefix(root) else { continue };
        let relative = relative.to_string_lossy().into_owned();
        if files.paths.len() >= MOST_FILES || *entries > MOST_ENTRIES {
            files.uncounted = true;
            return Ok(());
        }
        if kind.is_dir() {
            if entry.file_name() == ".git" {
                continue;
            }
            if depth >= MOST_DEPTH {
                files.uncounted = true;
            } else {
                list(root, &path, depth + 1, entries, files)?;
            }
        } else if kind.is_symlink() {
            let target = fs::canonicalize(&path).ok().filter(|target| target.starts_with(root));
            match target.and_then(|target| fs::metadata(target).ok()) {
                Some(metadata) if metadata.is_file() => {
                    files.bytes += metadata.len();
                    files.paths.push(relative);
                }
                // A directory inside the skill is listed at its own place.
                Some(_) => {}
                None => files.bad_links.push(relative),
            }
        } else if kind.is_file() {
            files.bytes += entry.metadata()?.len();
            files.paths.push(relative);
        }
    }
    Ok(())
}
