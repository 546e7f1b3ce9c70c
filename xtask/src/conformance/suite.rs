//! The two releases of the suite, and how to start them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::failure::Failure;
use crate::repo::{Repo, path_with};
use crate::run::Job;

/// A release of the suite, as it is named in `tools/npm/package.json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Release {
    /// 0.1.16, the last stable one.
    Stable,
    /// 0.2.0-alpha.12, which knows 2026-07-28.
    Alpha,
}

impl Release {
    pub(crate) fn job(self, repo: &Repo, name: &str) -> Job {
        let (package, node) = (self.package(), repo.node());
        Job::new(repo, name, &node)
            .arg(repo.modules().join(package).join("dist/index.js"))
            .env("PATH", path_with(node.parent().unwrap_or(Path::new("/"))))
            .deadline(Duration::from_secs(300))
    }

    fn package(self) -> &'static str {
        match self {
            Self::Stable => "conformance-1",
            Self::Alpha => "conformance-2",
        }
    }
}

/// Creates an empty directory for the results of a run.
pub(crate) fn results_dir(repo: &Repo, name: &str) -> Result<PathBuf, Failure> {
    let dir = repo.out.join("conformance").join(name.replace(' ', "-"));
    if dir.exists() {
        std::fs::remove_dir_all(&dir).map_err(Failure::file("remove", &dir))?;
    }
    std::fs::create_dir_all(&dir).map_err(Failure::file("create", &dir))?;
    Ok(dir)
}
