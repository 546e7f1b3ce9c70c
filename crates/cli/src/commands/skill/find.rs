//! Finds skills: directories with a SKILL.md, at any depth. Links to directories are not followed.
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{CommandError, user_error};

/// The most directories that are searched.
const MOST_DIRECTORIES: usize = 200_000;
/// The deepest level that is searched.
const MOST_DEPTH: usize = 24;
/// Directories that are skipped: they belong to tools and may contain other people's skills.
const PASSED_OVER: [&str; 3] = [".git", "node_modules", "target"];

/// A skill that was found and not read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundSkill {
    pub(super) directory: PathBuf,
    /// The name of its main file as it is spelled, or `None` if there is no main file.
    pub(super) file: Option<&'static str>,
}

/// Returns all skills in these directories, sorted, each once. A directory without skills is
/// returned as a skill without a main file.
pub(super) fn skills(directories: &[PathBuf]) -> Result<Vec<FoundSkill>, CommandError> {
    let mut found = Vec::new();
    for directory in directories {
        // Accept the path of the main file, as editors and shells complete it.
        let named = ["SKILL.md", "skill.md"].iter().any(|name| directory.ends_with(name));
        let directory = match directory.parent() {
            Some(parent) if named && directory.is_file() => parent,
            _ => directory,
        };
        let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        let metadata = fs::metadata(directory).map_err(|source| unreadable(directory, source))?;
        if !metadata.is_dir() {
            return Err(user_error(format!("`{}` is not a directory", directory.display()))
                .hinted("name the directory of a skill, or one with skills in it"));
        }
        let before = found.len();
        let mut count = 0;
        walk(directory, directory, 0, &mut count, &mut found)?;
        if found.len() == before {
            found.push(FoundSkill { directory: directory.to_owned(), file: None });
        }
    }
    found.sort_by(|one, other| one.directory.cmp(&other.directory));
    found.dedup();
    Ok(found)
}

fn unreadable(path: &Path, source: io::Error) -> CommandError {
    user_error(format!("failed to read `{}`", path.display())).caused_by(source)
}

fn walk(
    root: &Path,
    directory: &Path,
    depth: usize,
    count: &mut usize,
    found: &mut Vec<FoundSkill>,
) -> Result<(), CommandError> {
    *count += 1;
    if *count > MOST_DIRECTORIES {
        let root = root.display();
        return Err(user_error(format!("there are more than {MOST_DIRECTORIES} directories below `{root}`"))
            .hinted("name the directories with skills"));
    }
    let failed = |source| unreadable(directory, source);
    let mut inner = Vec::new();
    let mut file = None;
    for entry in fs::read_dir(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        if name == "SKILL.md" {
            file = Some("SKILL.md");
        } else if name == "skill.md" {
            file = file.or(Some("skill.md"));
        }
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_directory && !PASSED_OVER.iter().any(|passed| name == *passed) {
            inner.push(entry.path());
        }
    }
    if file.is_some() {
        found.push(FoundSkill { directory: directory.to_owned(), file });
    }
    if depth < MOST_DEPTH {
        inner.sort();
        for inner in inner {
            walk(root, &inner, depth + 1, count, found)?;
        }
    }
    Ok(())
}
