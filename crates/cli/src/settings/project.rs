//! The project that a server belongs to: what people decide about a server holds in one project.
use std::io;
use std::path::{Path, PathBuf};

use crate::args::ClientsArgs;
use crate::failure::Complaint;

/// A project can't be found.
#[derive(Debug, thiserror::Error)]
#[error("the project `{}` can't be opened", dir.display())]
pub(crate) struct ProjectError {
    dir: PathBuf,
    source: io::Error,
}

impl Complaint for ProjectError {
    fn hint(&self) -> Option<String> {
        Some("name a folder that exists with `--project DIR`, or use `--no-project`".to_owned())
    }
}

/// The name of the project in this folder: its canonical path.
pub(crate) fn project(dir: &Path) -> Result<String, ProjectError> {
    match dir.canonicalize() {
        Ok(path) => Ok(path.to_string_lossy().into_owned()),
        Err(source) => Err(ProjectError { dir: dir.to_owned(), source }),
    }
}

/// The project in the current folder; none if the folder is gone.
pub(crate) fn current_project() -> Option<String> {
    project(Path::new(".")).ok()
}

/// The project of a server with these clients. Over stdio it is started in the client's folder; over HTTP clients come from
/// everywhere.
pub(super) fn served_project(clients: &ClientsArgs) -> Option<String> {
    if clients.http.is_some() { None } else { current_project() }
}
