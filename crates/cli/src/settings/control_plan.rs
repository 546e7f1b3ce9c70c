//! What one of our servers decides by, and where it keeps its state.
use std::path::{Path, PathBuf};
use std::sync::Arc;

use overt_layers::{ConfigurationRights, Configured, PolicySnapshot, Settings, SettingsCompiler};
use overt_policy::rate::RateLimit;
use overt_state::audit::{CheckpointFile, CheckpointSink, KnownLogs, Options};

use overt_operator::LogPlan;

use super::control::{ControlSettings, ControlSources, Recording};
use super::{Env, FileTrust, OfRun, StateDir, Table};
use crate::args::{ControlArgs, SettingFlags};
use crate::error::CommandError;

/// The settings as they were read, and the sources from which to read them again.
#[derive(Debug)]
pub(crate) struct ControlPlan {
    pub(crate) settings: ControlSettings,
    pub(crate) sources: ControlSources,
    /// The folder in which grants are kept.
    pub(crate) state: PathBuf,
    /// The decision of the user's file about the server.
    pub(crate) file_trust: Option<FileTrust>,
    /// The folder of the server's audit log; `None` if nothing is recorded.
    pub(crate) audit: Option<PathBuf>,
}

/// The name of the log of `overt grants`.
const GRANTS: &str = "grants";
/// The name of the log of `overt undo`.
const UNDO: &str = "undo";
/// Prefix for the log of a server that has one of these two names.
const SERVER: &str = "server-";

impl ControlPlan {
    /// `name` is the name of the server in scopes and in the audit log.
    pub(crate) fn resolve<T: Table>(
        args: &ControlArgs<T>,
        env: &Env,
        name: &str,
    ) -> Result<Self, CommandError> {
        let (sources, settings) = ControlSources::resolve(args, env)?;
        let state = StateDir::resolve(env)?.path().to_owned();
        let audit = &settings.audit;
        let logs = audit.dir.clone().unwrap_or_else(|| state.join("audit"));
        let name = if [GRANTS, UNDO].contains(&name) { format!("{SERVER}{name}") } else { name.to_owned() };
        let audit = audit.mode.map(|_| logs.join(name));
        Ok(Self { settings, sources, state, file_trust: None, audit })
    }

    /// The plan for recording what people decide outside of any server: with the settings of `overt
    /// run`, in a separate log.
    pub(crate) fn of_grants(env: &Env) -> Result<Self, CommandError> {
        Self::of_own(env, GRANTS)
    }

    /// The plan for recording what people undo, in a separate log.
    pub(crate) fn of_undo(env: &Env) -> Result<Self, CommandError> {
        Self::of_own(env, UNDO)
    }

    fn of_own(env: &Env, name: &str) -> Result<Self, CommandError> {
        let plan = Self::resolve(&ControlArgs::<OfRun>::of(None, SettingFlags::default()), env, name)?;
        Ok(Self { audit: plan.audit.map(|log| log.with_file_name(name)), ..plan })
    }

    /// Where and how changes of a person are recorded; `None` if nothing is.
    pub(crate) fn log_plan(&self) -> Option<LogPlan> {
        let folder = self.audit.clone()?;
        let (audit, state) = (self.settings.audit.clone(), self.state.clone());
        Some(LogPlan { folder, options: Arc::new(move || options(&audit, &state)) })
    }

    /// The strictest rates that are enforced: of all calls, and of each tool. All of them apply, so
    /// these are the ones to tell (D-12, X-23).
    pub(crate) fn strictest_rates(&self) -> (Option<RateLimit>, Option<RateLimit>) {
        let ControlSettings { rates, ceiling, .. } = &self.settings;
        let of_tools = rates.each.iter().copied().chain(ceiling.limits.rate);
        (RateLimit::strictest(rates.all.iter().copied()), RateLimit::strictest(of_tools))
    }

    /// The options of the audit log.
    pub(crate) fn options(&self) -> Options {
        options(&self.settings.audit, &self.state)
    }
}

fn options(audit: &Recording, state: &Path) -> Options {
    let defaults = Options::new(state);
    let sink = |path: &PathBuf| Box::new(CheckpointFile::new(path)) as Box<dyn CheckpointSink>;
    Options {
        known_logs: Some(KnownLogs::of(state)),
        mode: audit.mode.unwrap_or(defaults.mode),
        commit_point: audit.commit_point,
        arguments: audit.arguments,
        retention: audit.retention,
        max_bytes: audit.max_bytes,
        sinks: audit.checkpoint_file.iter().map(sink).collect(),
        ..defaults
    }
}

impl ControlSettings {
    /// The policy snapshot of these settings, with a compiler for settings that a client changes.
    pub(crate) fn snapshot(&self) -> PolicySnapshot {
        let clients = match self.allow_client_config {
            true => ConfigurationRights::Trusted,
            false => ConfigurationRights::ByTransport,
        };
        let configured = Configured::new(self.values.clone(), clients).under(self.ceiling.clone());
        let settings = self.clone();
        let compile: SettingsCompiler = Arc::new(move |values| settings.with(values.clone()).plain());
        PolicySnapshot { settings: Some(Settings { configured, compile }), ..self.plain() }
    }

    fn plain(&self) -> PolicySnapshot {
        PolicySnapshot {
            version: self.version.clone(),
            rates: self.rates.clone(),
            approval: self.approval,
            ..PolicySnapshot::new(self.authority.clone())
        }
    }
}
