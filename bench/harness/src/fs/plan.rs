//! The plan of the measurements: a JSON file that the runner writes.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::calls::Era;
use crate::stdio::{Server, Until};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Plan {
    pub(crate) corpus: PathBuf,
    /// The length of each measurement, in seconds.
    pub(crate) seconds: f64,
    /// The number of calls of each measurement. If set, it is used instead of the time.
    #[serde(default)]
    pub(crate) calls: Option<usize>,
    pub(crate) rounds: usize,
    /// How often each server is started to measure its start.
    pub(crate) starts: usize,
    pub(crate) in_flight: Vec<usize>,
    pub(crate) rows: Vec<String>,
    pub(crate) servers: Vec<Contender>,
    pub(crate) programs: Vec<Program>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Contender {
    pub(crate) name: String,
    /// The server whose tools it has.
    pub(crate) profile: String,
    pub(crate) command: Vec<String>,
    /// Environment variables in addition to ours.
    #[serde(default)]
    pub(crate) environment: BTreeMap<String, String>,
    /// The rows to measure; all if empty.
    #[serde(default)]
    pub(crate) only: Vec<String>,
}

/// A program that does a row's work without a server. It is started for each call.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Program {
    pub(crate) name: String,
    pub(crate) row: String,
    pub(crate) command: Vec<String>,
    /// The number of lines that it must print.
    pub(crate) lines: usize,
}

impl Plan {
    pub(crate) fn read(file: &Path) -> Result<Self, String> {
        let problem = |cause: &dyn std::fmt::Display| format!("`{}`: {cause}", file.display());
        let text = std::fs::read_to_string(file).map_err(|cause| problem(&cause))?;
        let mut plan: Self = serde_json::from_str(&text).map_err(|cause| problem(&cause))?;
        plan.corpus = plan.corpus.canonicalize().map_err(|cause| problem(&cause))?;
        Ok(plan)
    }

    pub(crate) fn time(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    pub(crate) fn until(&self) -> Until {
        self.calls.map_or(Until::Time(self.time()), Until::Calls)
    }

    pub(crate) fn has(&self, row: &str) -> bool {
        self.rows.iter().any(|wanted| wanted == row)
    }
}

impl Contender {
    /// Starts the server and does the handshake.
    pub(crate) fn start(&self) -> io::Result<Server> {
        let mut server = Server::start(&self.command, &self.environment)?;
        server.initialize(Era::Initialized)?;
        Ok(server)
    }

    pub(crate) fn takes_part(&self, row: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|wanted| wanted == row)
    }
}
