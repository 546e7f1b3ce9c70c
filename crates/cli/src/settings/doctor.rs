//! The settings of `overt doctor`.
use std::path::PathBuf;

use super::client_config::{FoundFile, find};
use super::project::working_directory;
use super::{Env, StateDir, TrustFile};
use crate::args::{DoctorArgs, Start};
use crate::error::CommandError;

#[derive(Debug)]
pub(crate) struct DoctorSettings {
    pub(crate) files: Vec<FoundFile>,
    pub(crate) start: Start,
    pub(crate) state: StateDir,
    /// Whether every environment with the same `HOME` resolves to this state folder.
    pub(crate) is_usual_state: bool,
    pub(crate) trust_file: TrustFile,
    /// The home folder, where clients keep settings besides their servers.
    pub(crate) home: Option<PathBuf>,
    pub(crate) project: Option<PathBuf>,
}

impl DoctorSettings {
    pub(crate) fn resolve(args: &DoctorArgs, env: &Env) -> Result<Self, CommandError> {
        let state = StateDir::resolve(env)?;
        Ok(Self {
            files: find(&args.what, env)?,
            start: args.start,
            is_usual_state: state.is_usual(env),
            state,
            trust_file: TrustFile::resolve(env),
            home: env.variable("HOME").map(PathBuf::from).filter(|path| path.is_absolute()),
            project: working_directory(),
        })
    }
}
