//! What `overt policy` was told.
use std::path::{Path, PathBuf};

use overt_policy::scope::{Scope, ScopeError, ScopeSet};
use overt_policy::setting::{Author, PolicyFields};
use overt_policy::{Authority, Policy};
use overt_policy::{Findings, Pointer};
use overt_wire::json::{Json, JsonBuf};
use serde_json::Value;

use super::behind_wrap::BehindWrap;
use super::call::CallWords;
use super::control::ControlSettings;
use super::suggest::SuggestSettings;
use super::{
    Connection, ControlSources, Env, Input, ManifestFile, OfRun, StateDir, Table, Talk, current_project,
    source,
};
use crate::args::{ControlArgs, ExplainArgs, PolicyArgs, PolicyCommand};
use crate::failure::{Complaint, Failure};

#[derive(Debug)]
pub(crate) struct PolicySettings {
    pub(crate) talk: Talk,
    pub(crate) task: PolicyTask,
}

#[derive(Debug)]
pub(crate) enum PolicyTask {
    Check(Vec<PathBuf>),
    Explain(Box<ExplainSettings>),
    Suggest(Box<SuggestSettings>),
}

/// A call, and everything that it is decided by.
#[derive(Debug)]
pub(crate) struct ExplainSettings {
    pub(crate) connection: Connection,
    pub(crate) tool: String,
    pub(crate) input: Input,
    pub(crate) authority: Authority,
    /// What the call brings.
    pub(crate) policies: Vec<Policy>,
    /// What a person would have granted.
    pub(crate) grants: ScopeSet,
    pub(crate) manifest: Option<ManifestFile>,
    /// Where grants and trust are kept.
    pub(crate) state: StateDir,
    /// The project that the server would be started in.
    pub(crate) project: Option<String>,
}

/// A file or an option can't be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PolicyError {
    #[error("`{option} {text}` is not a scope")]
    Scope { option: &'static str, text: String, source: ScopeError },
    #[error("the policy `{}` can't be used\n{findings}", path.display())]
    Policy { path: PathBuf, findings: Findings },
    #[error("the policy `{}` allows more than what is in force; the call would be refused\n{findings}", path.display())]
    Wider { path: PathBuf, findings: Findings },
}

impl Complaint for PolicyError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Scope { .. } => {
                "a scope is `read`, `write:KIND` or `write:KIND:NAME`; see docs/control.md".to_owned()
            }
            Self::Policy { .. } => "docs/control.md has the format".to_owned(),
            Self::Wider { .. } => "a policy only narrows; leave out what it should not narrow".to_owned(),
        })
    }
}

impl PolicySettings {
    pub(crate) fn resolve(args: PolicyArgs, env: &Env) -> Result<Self, Failure> {
        Ok(match args.command {
            PolicyCommand::Check(args) => {
                Self { talk: Talk::resolve(&args.talk, env), task: PolicyTask::Check(args.files) }
            }
            PolicyCommand::Explain(args) => Self {
                talk: Talk::resolve(&args.talk, env),
                task: PolicyTask::Explain(Box::new(ExplainSettings::resolve(*args, env)?)),
            },
            PolicyCommand::Suggest(args) => Self {
                talk: Talk::resolve(&args.talk, env),
                task: PolicyTask::Suggest(Box::new(SuggestSettings::resolve(&args, env)?)),
            },
        })
    }
}

impl ExplainSettings {
    fn resolve(args: ExplainArgs, env: &Env) -> Result<Self, Failure> {
        let call = CallWords { words: &args.words, json: args.json.as_deref(), target: &args.target };
        let (connection, tool, input) = call.resolve(env)?;
        let BehindWrap { connection, state_dir } = BehindWrap::new(connection);
        let control = ControlArgs::of(args.config, args.given);
        let control = ControlSources::resolve(&control, env)?.1;
        let (policies, authority) = match &args.policy {
            Some(path) => policies(path, &control)?,
            None => (Vec::new(), control.authority),
        };
        let grants = scopes("--grant", &args.grant)?;
        let manifest = args.manifest.as_deref().map(ManifestFile::named).transpose()?;
        let (state, project) = (StateDir::named_or_resolved(state_dir, env)?, current_project());
        Ok(Self { connection, tool, input, authority, policies, grants, manifest, state, project })
    }
}

/// The policies of a call, each within what is in force before it, and what their fields leave of the settings.
fn policies(path: &Path, control: &ControlSettings) -> Result<(Vec<Policy>, Authority), Failure> {
    let chain = read_policies::<OfRun>(&source::read(path)?)
        .map_err(|findings| PolicyError::Policy { path: path.to_owned(), findings })?;
    let mut snapshot = control.authority.ceiling.clone();
    let mut values = control.values.capped_by(&control.ceiling);
    for policy in &chain {
        let findings = policy.widens(&snapshot);
        if findings.has_errors() {
            return Err(PolicyError::Wider { path: path.to_owned(), findings }.into());
        }
        snapshot = snapshot.meet(policy);
        values = values.narrowed_by_policy(policy, Author::Human).map_err(|refused| {
            let (path, is_valid) = (path.to_owned(), refused.invalid.is_empty());
            let findings = refused.into_findings();
            if is_valid {
                PolicyError::Wider { path, findings }
            } else {
                PolicyError::Policy { path, findings }
            }
        })?;
    }
    Ok((chain, control.with(values).authority))
}

/// The text of a policy that a call is to bring, checked before anything is started.
pub(super) fn text<T: Table>(path: &Path) -> Result<JsonBuf, Failure> {
    let text = source::read(path)?;
    let checked =
        read_policies::<T>(&text).and_then(|_| JsonBuf::parse(text.trim()).map_err(|_| Findings::default()));
    Ok(checked.map_err(|findings| PolicyError::Policy { path: path.to_owned(), findings })?)
}

/// A policy or a chain of them from JSON.
pub(crate) fn read_policies<T: Table>(text: &str) -> Result<Vec<Policy>, Findings> {
    let value: Result<Value, String> = Json::parse(text)
        .map_err(|fault| fault.to_string())
        .and_then(|json| json.read().map_err(|error| error.to_string()));
    let declared = T::declared();
    match value {
        Ok(value) => Policy::chain(&value, &PolicyFields { declared: &declared, author: Author::Human }),
        Err(fault) => {
            let mut findings = Findings::default();
            findings.error(
                Pointer::root(),
                format!("is not a JSON document: {fault}"),
                "write a JSON object",
            );
            Err(findings)
        }
    }
}

pub(super) fn scopes(option: &'static str, texts: &[String]) -> Result<ScopeSet, PolicyError> {
    let parse = |text: &String| {
        Scope::parse(text).map_err(|source| PolicyError::Scope { option, text: text.clone(), source })
    };
    texts.iter().map(parse).collect()
}
