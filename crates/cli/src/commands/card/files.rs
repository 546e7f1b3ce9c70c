//! Cards in files and directories.
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use overt_documents::card::INDEX_FILE;

use super::check::Text;
use crate::error::{CommandError, user_error};
use crate::settings::read_text;

/// The most files in a directory of cards. A directory with more probably holds something else.
const MOST_FILES: usize = 10_000;

/// Returns the texts of all cards in these files and directories.
pub(super) fn all(paths: &[PathBuf]) -> Result<Vec<Text>, CommandError> {
    let mut texts = Vec::new();
    for path in paths {
        if path.is_dir() {
            for file in in_directory(path)? {
                texts.push(one(&file)?);
            }
        } else {
            texts.push(one(path)?);
        }
    }
    Ok(texts)
}

pub(super) fn one(path: &Path) -> Result<Text, CommandError> {
    let source =
        if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() };
    Ok(Text { source, text: Some(read_text(path)?), live: None })
}

/// Returns the directory's card files, sorted by name.
pub(super) fn in_directory(path: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let error = |source: io::Error| {
        user_error(format!("failed to read the directory `{}`", path.display())).caused_by(source)
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(error)? {
        let file = entry.map_err(error)?.path();
        let is_json = file.extension().is_some_and(|extension| extension == "json");
        let is_index = file.file_name().is_some_and(|name| name == INDEX_FILE);
        // A directory or a pipe with such a name is not a card, and reading a pipe would block
        // forever.
        if is_json && !is_index && fs::metadata(&file).is_ok_and(|file| file.is_file()) {
            files.push(file);
        }
        if files.len() > MOST_FILES {
            return Err(user_error(format!(
                "the directory `{}` has more than {MOST_FILES} files",
                path.display()
            )));
        }
    }
    if files.is_empty() {
        return Err(user_error(format!("the directory `{}` has no card", path.display()))
            .hinted("a card is a file whose name ends with `.json`"));
    }
    files.sort();
    Ok(files)
}
