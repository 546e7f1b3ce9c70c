//! `overt describe --check`: compares committed documents with those that would be written now.
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use overt_documents::document::{Document, Kind};

use super::documents;
use super::folder::{self, FolderError};
use super::joined::Subject;
use crate::args::Format;
use crate::context::CommandContext;
use crate::error::{CommandError, Exit, user_error};
use crate::output::{Drift, DriftReport, Printer, one_line};

const NAME_A_DIRECTORY: &str = "name a directory that `--as all --out DIR` has written, or a file of it";
const MOST_FILES: usize = 10_000;
const DEEPEST: usize = 8;

pub(super) fn check(
    subject: &Subject,
    paths: &[PathBuf],
    context: &CommandContext,
) -> Result<Exit, CommandError> {
    let printer = &context.printer;
    let (documents, left_out) = documents::all(subject)?;
    left_out.iter().for_each(|finding| printer.detail(&one_line(&finding.to_string())));
    let mut drift = Drift {
        undeclared: subject.undeclared().map(str::to_owned).collect(),
        guesses: subject.guesses.iter().map(ToString::to_string).collect(),
        ..Drift::default()
    };
    for path in paths {
        if path.is_dir() {
            directory(path, &documents, &mut drift)?;
        } else if path.exists() {
            compare(path, document_of(path, &documents)?, &mut drift)?;
        } else {
            return Err(user_error(format!("there is nothing at `{}`", path.display()))
                .hinted("`overt describe --as all --out DIR` writes all documents"));
        }
    }
    context.report(&DriftReport::new(&drift))?;
    if context.output.format == Format::Text {
        warn(&drift, printer);
    }
    Ok(if drift.is_none() { Exit::Ok } else { Exit::Findings })
}

/// Compares a directory. Every document must exist with its current text. A file in a documents'
/// folder that is not one of them is reported as surplus.
fn directory(directory: &Path, documents: &[Document], drift: &mut Drift) -> Result<(), CommandError> {
    for document in documents {
        compare(&folder::place(directory, &document.path)?, document, drift)?;
    }
    for file in files(directory)? {
        let Ok(relative) = file.strip_prefix(directory) else { continue };
        let is_ours = documents.iter().any(|document| Path::new(&document.path) == relative);
        if !is_ours && is_among(relative, documents) {
            drift.surplus.push(file.display().to_string());
        }
    }
    Ok(())
}

/// Says whether the file is where one of our documents could have been: among the cards, or a
/// SKILL.md in another folder.
fn is_among(relative: &Path, documents: &[Document]) -> bool {
    documents.iter().any(|document| {
        let path = Path::new(&document.path);
        match document.kind {
            Kind::Card => path.parent() == relative.parent() && path.extension() == relative.extension(),
            _ => {
                path.file_name() == relative.file_name()
                    && path.components().count() == relative.components().count()
            }
        }
    })
}

fn compare(path: &Path, document: &Document, drift: &mut Drift) -> Result<(), FolderError> {
    drift.compared += 1;
    match folder::read(path)? {
        None => drift.missing.push(path.display().to_string()),
        Some(there) if there == document.text => {}
        Some(there) => drift.changed.push((path.display().to_string(), there, document.text.clone())),
    }
    Ok(())
}

/// Returns the document for this path: the one whose own path the path ends with, or else the only
/// one with the same file name.
fn document_of<'a>(path: &Path, documents: &'a [Document]) -> Result<&'a Document, CommandError> {
    let name = path.file_name();
    let full = documents.iter().find(|document| path.ends_with(&document.path));
    let mut same_name = documents.iter().filter(|document| Path::new(&document.path).file_name() == name);
    let found = full.or_else(|| same_name.next().filter(|_| same_name.next().is_none()));
    found.ok_or_else(|| {
        user_error(format!("`{}` is not a document of this server", path.display())).hinted(NAME_A_DIRECTORY)
    })
}

/// Returns all files below a directory. Symbolic links are not followed.
fn files(directory: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let mut files = Vec::new();
    let mut open = vec![(directory.to_owned(), 0)];
    while let Some((folder, depth)) = open.pop() {
        let failed = |source: io::Error| {
            user_error(format!("failed to look into `{}`", folder.display())).caused_by(source)
        };
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if files.len() + open.len() >= MOST_FILES {
                return Err(user_error(format!(
                    "`{}` has more than {MOST_FILES} files",
                    directory.display()
                ))
                .hinted(NAME_A_DIRECTORY));
            }
            match entry.file_type().map_err(failed)? {
                kind if kind.is_dir() && depth < DEEPEST => open.push((entry.path(), depth + 1)),
                kind if kind.is_file() => files.push(entry.path()),
                _ => {}
            }
        }
    }
    files.sort();
    Ok(files)
}

fn warn(drift: &Drift, printer: &Printer) {
    if !drift.undeclared.is_empty() {
        let names = one_line(&drift.undeclared.join(", "));
        printer
            .warn(&format!("nothing is declared about {}: {names}", count(drift.undeclared.len(), "tool")));
    }
    for guess in &drift.guesses {
        printer.detail(&format!("only guessed: {}", one_line(guess)));
    }
    if drift.is_none() {
        printer
            .note(&format!("{} as the manifest and the server have it", count(drift.compared, "document")));
    }
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
