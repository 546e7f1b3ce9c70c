//! What `overt trust` was told.
use overt_policy::Trust;

use super::project::project_or_here;
use super::{ControlPlan, Env, OutputSettings, PassphraseSource, StateDir};
use crate::args::{TrustArgs, TrustLevel};
use crate::failure::Failure;

#[derive(Debug)]
pub(crate) struct TrustSettings {
    pub(crate) state: StateDir,
    pub(crate) output: OutputSettings,
    /// How decisions are recorded; none where nothing is decided.
    pub(crate) audit: Option<ControlPlan>,
    pub(crate) task: TrustTask,
    /// How the answerer proves to be a person.
    pub(crate) passphrase: PassphraseSource,
}

#[derive(Debug)]
pub(crate) enum TrustTask {
    List,
    /// A decision about a server in a project. Without a project it is for the server as it is
    /// served over HTTP.
    Decide {
        server: String,
        project: Option<String>,
        trust: Trust,
    },
    Forget {
        server: String,
        project: Option<String>,
    },
}

impl TrustSettings {
    pub(crate) fn resolve(args: &TrustArgs, env: &Env) -> Result<Self, Failure> {
        let state = StateDir::resolve(env)?;
        let output = OutputSettings::resolve(&args.output, env);
        let passphrase = PassphraseSource::resolve(&args.answer);
        let Some(server) = args.server.clone() else {
            return Ok(Self { state, output, audit: None, task: TrustTask::List, passphrase });
        };
        let project = project_of(args)?;
        let task = match args.forget {
            true => TrustTask::Forget { server, project },
            false => TrustTask::Decide { server, project, trust: level(args.level) },
        };
        Ok(Self { state, output, audit: Some(ControlPlan::of_grants(env)?), task, passphrase })
    }
}

fn project_of(args: &TrustArgs) -> Result<Option<String>, Failure> {
    match args.no_project {
        true => Ok(None),
        false => project_or_here(args.project.as_deref()).map(Some),
    }
}

fn level(level: Option<TrustLevel>) -> Trust {
    match level {
        None | Some(TrustLevel::Changes) => Trust::Changes,
        Some(TrustLevel::Everything) => Trust::Everything,
        Some(TrustLevel::Record) => Trust::Record,
    }
}
