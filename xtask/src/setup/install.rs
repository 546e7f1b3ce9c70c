//! Installs all tool sets.

use std::thread::JoinHandle;
use std::time::Instant;

use super::{npm, page, python};
use crate::failure::Failure;
use crate::repo::Repo;
use crate::say;

/// Installs a tool set and returns whether anything had to be done.
type Install = fn(&Repo) -> Result<bool, Failure>;

const SETS: &[(&str, Install)] = &[
    ("npm", npm::install),
    ("ui", page::install_packages),
    ("chromium", page::install_chromium),
    ("python", python::install),
];

/// An installation that runs in the background.
#[derive(Debug)]
pub(crate) struct Background(JoinHandle<Result<(), Failure>>);

impl Background {
    pub(crate) fn start(repo: &Repo) -> Self {
        let repo = repo.clone();
        Self(std::thread::spawn(move || install(&repo)))
    }

    /// Waits until everything is installed.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        self.0.join().unwrap_or_else(|_| Err(Failure::new("an installation panicked; see above")))
    }
}

/// Installs all tool sets and prints only those that had to be installed.
pub fn install(repo: &Repo) -> Result<(), Failure> {
    std::fs::create_dir_all(&repo.tools).map_err(Failure::file("create", &repo.tools))?;
    SETS.iter().try_for_each(|(name, install)| {
        let started = Instant::now();
        if install(repo)? {
            say::step(&format!("setup {name}"), "ok", started.elapsed(), "");
        }
        Ok(())
    })
}
