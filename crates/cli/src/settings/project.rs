//! The project of a server. A person's decision about a server holds within one project.
use std::io;
use std::path::{Path, PathBuf};

use crate::args::ClientsArgs;
use crate::failure::{Complaint, Failure};

/// A project cannot be found.
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

/// The name of the project in this folder: the canonical path.
pub(crate) fn project(dir: &Path) -> Result<String, ProjectError> {
    match dir.canonicalize() {
        Ok(path) => Ok(path.to_string_lossy().into_owned()),
        Err(source) => Err(ProjectError { dir: dir.to_owned(), source }),
    }
}

/// The project in the current folder; `None` if the folder no longer exists.
pub(crate) fn current_project() -> Option<String> {
    project(Path::new(".")).ok()
}

/// The current folder, which would be the project, cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("the current folder can't be opened, so there is no project")]
pub(crate) struct NoProject;

impl Complaint for NoProject {
    fn hint(&self) -> Option<String> {
        Some("name the project with `--project DIR`".to_owned())
    }
}

/// The project in the given folder, or in the current one.
pub(crate) fn project_or_here(dir: Option<&Path>) -> Result<String, Failure> {
    match dir {
        Some(dir) => project(dir).map_err(ProjectError::into),
        None => current_project().ok_or_else(|| NoProject.into()),
    }
}

/// The folder in which a server is started, unless it has one of its own.
pub(super) fn working_directory() -> Option<PathBuf> {
    Path::new(".").canonicalize().ok()
}

/// The project of a server with these clients. Over stdio, the client starts the server in its own
/// folder. Over HTTP there is no project, because clients can come from anywhere.
pub(super) fn served_project(clients: &ClientsArgs) -> Option<String> {
    if clients.http.is_some() { None } else { current_project() }
}
