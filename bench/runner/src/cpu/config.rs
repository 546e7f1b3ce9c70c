//! The configurations that are compared: each build of `overt`, with the audit log on and off.

use std::path::PathBuf;

use xtask::failure::Failure;
use xtask::repo::Repo;

/// The name of the series for nginx, which others are compared with.
pub(crate) const NGINX: &str = "nginx";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Log {
    On,
    Off,
}

/// A build of `overt`, and whether its audit log is on.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    pub(crate) build: String,
    pub(crate) overt: PathBuf,
    pub(crate) log: Log,
}

/// The name of a series of rounds: the build (or `nginx`) and the state of its log.
pub(crate) type Series = (String, Log);

impl Config {
    /// Returns both states of the log for each build, so that they are measured right after each
    /// other.
    pub(crate) fn all(builds: &[(String, PathBuf)]) -> Vec<Self> {
        let config = |(build, overt): &(String, PathBuf)| {
            [Log::On, Log::Off].map(|log| Self { build: build.clone(), overt: overt.clone(), log })
        };
        builds.iter().flat_map(config).collect()
    }

    pub(crate) fn series(&self) -> Series {
        (self.build.clone(), self.log)
    }

    /// Returns a name for files.
    pub(crate) fn slug(&self) -> String {
        format!("{}-{}", self.build, if self.log == Log::On { "on" } else { "off" })
    }

    pub(crate) fn audit_flags(&self) -> &'static [&'static str] {
        match self.log {
            Log::On => &[],
            Log::Off => &["--audit", "off"],
        }
    }

    /// Returns the path of an empty state folder. The log of an earlier run must not be read at
    /// startup.
    pub(crate) fn new_state(&self, repo: &Repo, part: &str) -> Result<PathBuf, Failure> {
        let state = repo.out.join(format!("bench-cpu-{part}-{}", self.slug()));
        if state.exists() {
            std::fs::remove_dir_all(&state).map_err(Failure::file("remove", &state))?;
        }
        Ok(state)
    }
}
