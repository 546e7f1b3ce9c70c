//! The settings of `overt policy explain`.
use std::path::Path;

use overt_policy::scope::ScopeSet;
use overt_policy::{Authority, Findings, Policy};
use overt_settings::Author;

use super::behind_wrap::BehindWrap;
use super::call::CallWords;
use super::control::ControlSettings;
use super::file_trust::FileTrust;
use super::policy_text::{read_policies, scopes, unusable_policy};
use super::{Connection, ControlSources, Env, Input, ManifestFile, OfRun, StateDir, current_project, source};
use crate::args::{ControlArgs, ExplainArgs};
use crate::error::{CommandError, user_error};

/// A call, with everything that takes part in its decision.
#[derive(Debug)]
pub(crate) struct ExplainSettings {
    pub(crate) connection: Connection,
    /// Whether the server is one of ours, which decides by its own settings.
    pub(crate) is_own: bool,
    pub(crate) tool: String,
    pub(crate) input: Input,
    pub(crate) authority: Authority,
    /// The policies that the call carries.
    pub(crate) policies: Vec<Policy>,
    /// Scopes that a person is assumed to have granted.
    pub(crate) grants: ScopeSet,
    pub(crate) manifest: Option<ManifestFile>,
    /// The folder with grants and trust decisions.
    pub(crate) state: StateDir,
    /// The project in which the server would be started.
    pub(crate) project: Option<String>,
    /// The decision of the user's file about the server.
    pub(crate) file_trust: Option<FileTrust>,
}

impl ExplainSettings {
    pub(crate) fn resolve(args: ExplainArgs, env: &Env) -> Result<Self, CommandError> {
        let call = CallWords { words: &args.words, json: args.json.as_deref(), target: &args.target };
        let is_own = call.names_own();
        let (connection, tool, input) = call.resolve(env)?;
        let BehindWrap { connection, state_dir, known_as } =
            BehindWrap::new(connection, args.name.as_deref());
        let control = ControlArgs::of(args.config, args.flags);
        let control = ControlSources::resolve(&control, env)?.1;
        let (policies, authority) = match &args.policy {
            Some(path) => policies(path, &control)?,
            None => (Vec::new(), control.authority),
        };
        let grants = scopes("--grant", &args.grant)?;
        let manifest = args.manifest.as_deref().map(ManifestFile::named).transpose()?;
        let (state, project) = (StateDir::named_or_resolved(state_dir, env)?, current_project());
        let file_trust = known_as.and_then(|(name, started)| {
            FileTrust::find((&name, &started), connection.identity(), project.clone(), state.path(), env)
        });
        Ok(Self {
            connection,
            is_own,
            tool,
            input,
            authority,
            policies,
            grants,
            manifest,
            state,
            project,
            file_trust,
        })
    }
}

/// Returns the policies of a call, and the authority after their fields narrowed the settings. Each
/// policy must stay within what is in force before it.
fn policies(path: &Path, control: &ControlSettings) -> Result<(Vec<Policy>, Authority), CommandError> {
    let chain =
        read_policies::<OfRun>(&source::read(path)?).map_err(|findings| unusable_policy(path, &findings))?;
    let mut snapshot = control.authority.ceiling.clone();
    let mut values = control.values.capped_by(&control.ceiling);
    for policy in &chain {
        let findings = policy.widens(&snapshot);
        if findings.has_errors() {
            return Err(wider_policy(path, &findings));
        }
        snapshot = snapshot.meet(policy);
        values = values.narrowed_by_policy(policy, Author::Human).map_err(|refused| {
            let is_valid = refused.invalid.is_empty();
            let findings = refused.into_findings();
            if is_valid { wider_policy(path, &findings) } else { unusable_policy(path, &findings) }
        })?;
    }
    Ok((chain, control.with(values).authority))
}

fn wider_policy(path: &Path, findings: &Findings) -> CommandError {
    user_error(format!(
        "the policy `{}` allows more than what is in force; the call would be refused\n{findings}",
        path.display()
    ))
    .hinted("a policy only narrows; leave out what it should not narrow")
}
