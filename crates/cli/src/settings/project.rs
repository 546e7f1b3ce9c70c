//! The project that a server belongs to: what people decide about a server holds in one project.
use std::io;
use std::path::{Path, PathBuf};

use crate::args::ClientsArgs;
use crate::failure::{Complaint, Failure};

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

/// The current folder, which would be the project, can't be opened.
#[derive(Debug, thiserror::Error)]
#[error("the current folder can't be opened, so there is no project")]
pub(crate) struct NoProject;

impl Complaint for NoProject {
    fn hint(&self) -> Option<String> {
        Some("name the project with `--project DIR`".to_owned())
    }
}

/// The project in this folder, or in the current one.
pub(crate) fn project_or_here(dir: Option<&Path>) -> Result<String, Failure> {
    match dir {
        Some(dir) => project(dir).map_err(ProjectError::into),
        None => current_project().ok_or_else(|| NoProject.into()),
    }
}

/// The folder that a server is started in, unless it has one of its own.
pub(super) fn working_directory() -> Option<PathBuf> {
    Path::new(".").canonicalize().ok()
}

/// The project of a server with these clients. Over stdio it is started in the client's folder;
/// over HTTP clients come from everywhere.
pub(super) fn served_project(clients: &ClientsArgs) -> Option<String> {
    if clients.http.is_some() { None } else { current_project() }
}
