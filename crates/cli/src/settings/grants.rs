//! What `overt grants` was told.
use std::time::Duration;

use overt_layers::grants::{Extent, Lasts};
use overt_policy::scope::{Scope, ScopeError};

use super::project::project_or_here;
use super::{ControlPlan, Env, PassphraseSource, StateDir, Talk};
use crate::args::{AllowArgs, GrantsArgs, GrantsCommand};
use crate::failure::{Complaint, Failure};
use crate::output::Opener;

#[derive(Debug)]
pub(crate) struct GrantsSettings {
    pub(crate) state: StateDir,
    pub(crate) talk: Talk,
    /// How decisions are recorded; none where nothing is decided.
    pub(crate) audit: Option<ControlPlan>,
    pub(crate) task: GrantsTask,
    /// How whoever answers can show that they are a person.
    pub(crate) passphrase: PassphraseSource,
}

#[derive(Debug)]
pub(crate) enum GrantsTask {
    List,
    Pending(Look),
    /// One question whole; as a page if there is something that opens it.
    Show {
        id: String,
        open: Option<Opener>,
    },
    /// Yes to questions.
    Allow {
        ids: Vec<String>,
        yes: Yes,
        wider: bool,
    },
    /// Before anybody asks.
    Advance {
        server: String,
        tool: String,
        scopes: Vec<Scope>,
        /// Where it holds; none for everywhere.
        project: Option<String>,
        yes: Yes,
    },
    Deny {
        ids: Vec<String>,
        whole_session: bool,
    },
    Revoke(Which),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    Once,
    /// Until interrupted.
    Watch,
}

/// How long a yes holds, and how sure whoever says it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Yes {
    pub(crate) lasts: Lasts,
    pub(crate) extent: Extent,
    pub(crate) at_most: Option<Duration>,
    pub(crate) dangerous: bool,
}

#[derive(Debug)]
pub(crate) enum Which {
    All,
    Named(Vec<String>),
}

/// A scope of the command line can't be read.
#[derive(Debug, thiserror::Error)]
#[error("`{text}` is no scope")]
pub(crate) struct BadScope {
    text: String,
    source: ScopeError,
}

impl Complaint for BadScope {
    fn hint(&self) -> Option<String> {
        Some(
            "a scope is an action, and what it is done to: `write`, `write:file`, `write:file:/home/me`"
                .to_owned(),
        )
    }
}

impl GrantsSettings {
    pub(crate) fn resolve(args: GrantsArgs, env: &Env) -> Result<Self, Failure> {
        let state = StateDir::resolve(env)?;
        let mut passphrase = PassphraseSource::Terminal;
        let (talk, task) = match args.command {
            GrantsCommand::List(args) => (args.talk, GrantsTask::List),
            GrantsCommand::Pending(args) => {
                (args.talk, GrantsTask::Pending(if args.watch { Look::Watch } else { Look::Once }))
            }
            GrantsCommand::Show(args) => {
                let open = args.open.then(|| Opener { program: env.browser() });
                (args.talk, GrantsTask::Show { id: args.id, open })
            }
            GrantsCommand::Allow(args) => {
                let task = allow(&args)?;
                passphrase = PassphraseSource::resolve(&args.answer);
                (args.talk, task)
            }
            GrantsCommand::Deny(args) => {
                passphrase = PassphraseSource::resolve(&args.answer);
                (args.talk, GrantsTask::Deny { ids: args.ids, whole_session: args.session })
            }
            GrantsCommand::Revoke(args) => {
                let which = if args.all { Which::All } else { Which::Named(args.ids) };
                (args.talk, GrantsTask::Revoke(which))
            }
        };
        let audit = match task {
            GrantsTask::List | GrantsTask::Pending(_) | GrantsTask::Show { .. } => None,
            _ => Some(ControlPlan::of_grants(env)?),
        };
        Ok(Self { state, talk: Talk::resolve(&talk, env), audit, task, passphrase })
    }
}

fn allow(args: &AllowArgs) -> Result<GrantsTask, Failure> {
    let lasts = match (args.always, args.session) {
        (true, _) => Lasts::Always,
        (_, true) => Lasts::Session,
        _ => Lasts::Once,
    };
    let extent = if args.everywhere { Extent::Everywhere } else { Extent::Project };
    let yes = Yes { lasts, extent, at_most: args.expires, dangerous: args.dangerous };
    if !args.ids.is_empty() {
        return Ok(GrantsTask::Allow { ids: args.ids.clone(), yes, wider: args.wider });
    }
    let parse = |text: &String| Scope::parse(text).map_err(|source| BadScope { text: text.clone(), source });
    let scopes = args.scope.iter().map(parse).collect::<Result<_, _>>()?;
    let text = |word: &Option<String>| word.clone().unwrap_or_default();
    let project = if args.everywhere { None } else { Some(project_or_here(args.project.as_deref())?) };
    Ok(GrantsTask::Advance { server: text(&args.server), tool: text(&args.tool), scopes, project, yes })
}
