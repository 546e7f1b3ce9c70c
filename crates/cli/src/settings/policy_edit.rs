//! What `overt forbid` and `overt permit` were told.
use std::path::PathBuf;

use super::{ConfiguredServers, ControlPlan, Env, OutputSettings, StateDir, user_file};
use crate::args::{ForbidArgs, PassphraseSource, PermitArgs, SubjectKind, WhatArgs};
use crate::failure::{Complaint, Failure};

#[derive(Debug)]
pub(crate) struct PolicyEditSettings {
    pub(crate) state: StateDir,
    /// Servers that may not have run yet.
    pub(crate) configured: ConfiguredServers,
    pub(crate) output: OutputSettings,
    /// How the change is recorded.
    pub(crate) audit: ControlPlan,
    /// The user's own file, which need not be there.
    pub(crate) file: PathBuf,
    pub(crate) change: PolicyChange,
    pub(crate) what: String,
    /// None: it is found out.
    pub(crate) kind: Option<SubjectKind>,
    /// For a tool: none for that of every server.
    pub(crate) server: Option<String>,
    pub(crate) is_removal: bool,
    /// Whether it is written without asking.
    pub(crate) unasked: bool,
    pub(crate) passphrase: PassphraseSource,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PolicyChange {
    Forbid {
        /// Of a path: reading it stays as it is.
        changes_only: bool,
    },
    Permit {
        /// Of a path: changing it stays as it is.
        reading_only: bool,
    },
}

/// There is no place for the user's file.
#[derive(Debug, thiserror::Error)]
#[error("there is no place for your `overt.toml`: `HOME` is not set")]
struct NoHome;

impl Complaint for NoHome {
    fn hint(&self) -> Option<String> {
        Some("set `HOME` to your home folder".to_owned())
    }
}

impl PolicyEditSettings {
    pub(crate) fn forbid(args: ForbidArgs, env: &Env) -> Result<Self, Failure> {
        let change = PolicyChange::Forbid { changes_only: args.changes };
        Self::resolve(args.what, change, env)
    }

    pub(crate) fn permit(args: PermitArgs, env: &Env) -> Result<Self, Failure> {
        let change = PolicyChange::Permit { reading_only: args.read };
        Self::resolve(args.what, change, env)
    }

    fn resolve(args: WhatArgs, change: PolicyChange, env: &Env) -> Result<Self, Failure> {
        let state = StateDir::resolve(env)?;
        Ok(Self {
            configured: ConfiguredServers::new(env, &state),
            state,
            output: OutputSettings::resolve(&args.output, env),
            audit: ControlPlan::of_grants(env)?,
            file: user_file(env).ok_or(NoHome)?,
            change,
            what: args.what,
            kind: args.kind,
            server: args.server,
            is_removal: args.remove,
            unasked: args.yes,
            passphrase: args.answer.passphrase,
        })
    }
}
