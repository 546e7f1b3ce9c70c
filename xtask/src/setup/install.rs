//! Installs all tool sets: those that wait for the network beside those that need the processor.

use std::thread::JoinHandle;
use std::time::Instant;

use super::{cargo, npm, page, python};
use crate::failure::Failure;
use crate::repo::Repo;
use crate::say;

/// Installs a tool set and says whether anything had to be done.
type Install = fn(&Repo) -> Result<bool, Failure>;

const FETCHED: &[(&str, Install)] = &[
    ("npm", npm::install),
    ("ui", page::install_packages),
    ("chromium", page::install_chromium),
    ("python", python::install),
];
const BUILT: &[(&str, Install)] = &[
    ("cargo-deny", cargo::install_deny),
    ("cargo-fuzz", cargo::install_fuzz),
    ("rmcp-peer", cargo::build_rmcp_peer),
];

/// An installation that goes on while something else is done.
#[derive(Debug)]
pub(crate) struct Background(Vec<JoinHandle<Result<(), Failure>>>);

impl Background {
    pub(crate) fn start(repo: &Repo) -> Result<Self, Failure> {
        std::fs::create_dir_all(&repo.tools).map_err(Failure::file("create", &repo.tools))?;
        let start = |sets: &'static [(&str, Install)]| {
            let repo = repo.clone();
            std::thread::spawn(move || sets.iter().try_for_each(|(name, install)| one(&repo, name, *install)))
        };
        Ok(Self(vec![start(FETCHED), start(BUILT)]))
    }

    /// Waits until everything is there.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let results: Vec<_> = self.0.into_iter().map(JoinHandle::join).collect();
        results.into_iter().try_for_each(|result| {
            result.unwrap_or_else(|_| Err(Failure::new("an installation panicked; see above")))
        })
    }
}

/// Says only what had to be done.
pub fn install(repo: &Repo) -> Result<(), Failure> {
    Background::start(repo)?.finish()
}

/// Installs only the packages of other registries, and nothing that cargo builds.
pub(crate) fn install_packages(repo: &Repo) -> Result<(), Failure> {
    std::fs::create_dir_all(&repo.tools).map_err(Failure::file("create", &repo.tools))?;
    FETCHED.iter().try_for_each(|(name, install)| one(repo, name, *install))
}

fn one(repo: &Repo, name: &str, install: Install) -> Result<(), Failure> {
    let started = Instant::now();
    if install(repo)? {
        say::step(&format!("setup {name}"), "ok", started.elapsed(), "");
    }
    Ok(())
}
