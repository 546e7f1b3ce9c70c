//! What `overt policy suggest` was told.
use std::path::PathBuf;

use overt_state::audit::Wanted;

use super::activity::{Condition, which};
use super::audit::logs_folder;
use super::{Env, PassphraseSource, StateDir};
use crate::args::SuggestArgs;
use crate::failure::{Complaint, Failure};

#[derive(Debug)]
pub(crate) struct SuggestSettings {
    /// The folder of all logs.
    pub(crate) logs: PathBuf,
    pub(crate) wanted: Wanted,
    pub(crate) conditions: Vec<Condition>,
    /// The settings file, which may not exist yet.
    pub(crate) file: PathBuf,
    pub(crate) write: bool,
    pub(crate) state: StateDir,
    /// How whoever writes it can show that they are a person.
    pub(crate) passphrase: PassphraseSource,
}

/// There is no settings file to propose for.
#[derive(Debug, thiserror::Error)]
#[error("there is no place for the settings file: neither `--config` nor `OVERT_CONFIG` nor `HOME` is set")]
pub(crate) struct NoFile;

impl Complaint for NoFile {
    fn hint(&self) -> Option<String> {
        Some("name the file with `--config FILE`".to_owned())
    }
}

impl SuggestSettings {
    pub(crate) fn resolve(args: &SuggestArgs, env: &Env) -> Result<Self, Failure> {
        let (wanted, conditions) = which(&args.which)?;
        let given = |name: &str| env.variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let configured = || {
            let base = given("XDG_CONFIG_HOME").filter(|path| path.is_absolute());
            let base =
                base.or_else(|| Some(given("HOME").filter(|path| path.is_absolute())?.join(".config")));
            base.map(|base| base.join("overt/overt.toml"))
        };
        let file = args.config.clone().or_else(|| given("OVERT_CONFIG")).or_else(configured).ok_or(NoFile)?;
        Ok(Self {
            logs: logs_folder(env)?,
            wanted,
            conditions,
            file,
            write: args.write,
            state: StateDir::resolve(env)?,
            passphrase: PassphraseSource::resolve(&args.answer),
        })
    }
}
