//! What `overt run` decides by.
use std::path::PathBuf;
use std::time::Duration;

use overt_layers::{Approval, InForce};
use overt_spec::control::Authority;
use overt_spec::scope::Scope;
use overt_spec::word::Word;
use overt_state::audit::{Mode, Options};

use super::{Env, StateDir};
use crate::args::RunArgs;
use crate::failure::Failure;

#[derive(Debug)]
pub(crate) struct ControlPlan {
    pub(crate) authority: Authority,
    pub(crate) wait: Duration,
    /// Where grants are kept.
    pub(crate) state: PathBuf,
    pub(crate) audit: Option<(PathBuf, PathBuf, Mode)>,
}

impl ControlPlan {
    pub(crate) fn resolve(args: &RunArgs, env: &Env, name: &str) -> Result<Self, Failure> {
        let mut authority = if args.allow_all { Authority::open() } else { Authority::careful() };
        authority.base.extend(args.allow.iter().filter_map(|text| Scope::parse(text).ok()));
        authority.denied.extend(args.deny.iter().filter_map(|text| Scope::parse(text).ok()));
        let state = StateDir::resolve(env)?;
        let mode = Mode::parse(&args.audit);
        let audit = mode.map(|mode| (state.path().join("audit").join(name), state.path().to_owned(), mode));
        let wait = Duration::from_secs(args.approval_wait);
        Ok(Self { authority, wait, state: state.path().to_owned(), audit })
    }

    pub(crate) fn in_force(&self) -> InForce {
        let approval = Approval { wait: self.wait, trust_grants: false };
        InForce { approval, ..InForce::new(self.authority.clone()) }
    }

    pub(crate) fn options(&self) -> Option<Options> {
        let (_, keys, mode) = self.audit.as_ref()?;
        Some(Options { mode: *mode, ..Options::new(keys) })
    }
}
