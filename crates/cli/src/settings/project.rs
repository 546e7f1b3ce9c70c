//! The project of a server. A person's decision about a server holds within one project.
use std::path::{Path, PathBuf};

use crate::args::ClientsArgs;
use crate::error::{CommandError, user_error};

/// The name of the project in this folder: the canonical path.
pub(crate) fn project(dir: &Path) -> Result<String, CommandError> {
    let path = dir.canonicalize().map_err(|source| {
        user_error(format!("the project `{}` can't be opened", dir.display()))
            .caused_by(source)
            .hinted("name a folder that exists with `--project DIR`, or use `--no-project`")
    })?;
    Ok(path.to_string_lossy().into_owned())
}

/// The project in the current folder; `None` if the folder no longer exists.
pub(crate) fn current_project() -> Option<String> {
    project(Path::new(".")).ok()
}

/// The project in the given folder, or in the current one.
pub(crate) fn project_or_here(dir: Option<&Path>) -> Result<String, CommandError> {
    match dir {
        Some(dir) => project(dir),
        None => current_project().ok_or_else(|| {
            user_error("the current folder can't be opened, so there is no project")
                .hinted("name the project with `--project DIR`")
        }),
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
