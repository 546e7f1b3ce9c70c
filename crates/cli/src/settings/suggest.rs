//! The settings of `overt policy suggest`.
use std::path::PathBuf;

use overt_state::audit::RecordQuery;

use super::activity::{Condition, which};
use super::audit::logs_folder;
use super::{ControlPlan, Env, StateDir, given_config, user_file};
use crate::args::SuggestArgs;
use crate::error::{CommandError, user_error};

#[derive(Debug)]
pub(crate) struct SuggestSettings {
    /// The folder that contains all logs.
    pub(crate) logs: PathBuf,
    pub(crate) wanted: RecordQuery,
    pub(crate) conditions: Vec<Condition>,
    /// The settings file, which may not exist yet.
    pub(crate) file: PathBuf,
    /// Whether it is the user's own file. Allowing something there implies no trust in servers'
    /// claims.
    pub(crate) is_own: bool,
    pub(crate) state: StateDir,
    /// How a refused attempt to write is recorded.
    pub(crate) audit: ControlPlan,
}

impl SuggestSettings {
    pub(crate) fn resolve(args: &SuggestArgs, env: &Env) -> Result<Self, CommandError> {
        let (wanted, conditions) = which(&args.which)?;
        let own = user_file(env);
        let file = given_config(args.config.as_deref(), env).or_else(|| own.clone()).ok_or_else(|| {
            user_error(
                "can't find the settings file: neither `--config` nor `OVERT_CONFIG` nor `HOME` is set",
            )
            .hinted("name the file with `--config FILE`")
        })?;
        Ok(Self {
            logs: logs_folder(env)?,
            wanted,
            conditions,
            is_own: own.as_ref() == Some(&file),
            file,
            state: StateDir::resolve(env)?,
            audit: ControlPlan::of_grants(env)?,
        })
    }
}
