//! Finds out why a tool is missing from the list although the server may have it: a rule forbids
//! it, or pins hold it back.
use overt_gateway::pins::{Entry, Identity, PinStore};
use overt_policy::record::Hints;
use overt_policy::{Authority, Overlays, Subject, ToolFacts, Verdict};
use overt_wire::json::JsonBuf;
use overt_wire::view::Tool;

use crate::error::{CommandError, Diagnostic};
use crate::output::one_line;
use crate::settings::{Connection, Env, behind_run};
use overt_operator::policy_edit::removal_of_forbidden;

/// The reason why a tool can't be called at the moment.
#[derive(Debug, thiserror::Error)]
pub(super) enum MissingTool {
    #[error("`{tool}` is forbidden: {why}")]
    Forbidden {
        tool: String,
        why: String,
        /// The command that removes the rule, if a command wrote it.
        removal: Option<String>,
    },
    #[error(
        "`--pin strict` holds back {}: nobody has accepted {} since the server changed",
        names(tools),
        pronoun(tools)
    )]
    HeldBack {
        tools: Vec<String>,
        /// The server's id, as `overt pins` takes it.
        server: String,
    },
}

/// How many tools an error names.
const MOST_NAMED: usize = 5;

impl Diagnostic for MissingTool {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Forbidden { removal: Some(removal), .. } => format!("`{removal}` takes that back"),
            Self::Forbidden { removal: None, .. } => {
                "remove the rule from your `overt.toml` or from the file of `--config`; `overt policy explain` says which it is"
                    .to_owned()
            }
            Self::HeldBack { server, .. } => format!(
                "`overt pins diff {server}` shows what changed; then `overt pins accept {server} TOOL` accepts a tool, `--all` all of them"
            ),
        })
    }
}

impl MissingTool {
    /// Returns the rule of the settings that forbids the tool whatever its arguments are. `servers`
    /// are the names that rules can use for the server.
    pub(super) fn forbidden(tool: &str, servers: &[&str], authority: &Authority) -> Option<Self> {
        servers.iter().find_map(|server| {
            let facts = ToolFacts::undeclared(server, tool, Hints::default());
            let subject = Subject::Tool { facts: &facts, arguments: None };
            let decision = authority.decide_without_grants(subject, &Overlays::default());
            let said = decision.verdicts.iter().filter(|said| said.verdict == Verdict::Deny);
            let (said, rule) = said.filter_map(|said| Some((said, said.rule.as_deref()?))).next()?;
            let removal = removal_of_forbidden(rule);
            Some(Self::Forbidden { tool: tool.to_owned(), why: said.why.clone(), removal })
        })
    }

    /// Returns the tools that the pins of an `overt run` hold back, where the connection starts
    /// that `overt run`: tools that wait for a decision and are not in `listed`.
    pub(super) fn held_back(listed: &[JsonBuf], connection: &Connection, env: &Env) -> Option<Self> {
        let (state, target, directory) = behind_run(connection, env)?;
        let identity = Identity::of(&target, directory.as_deref());
        let entries = PinStore::new(state.path()).all().ok()?;
        entries.into_iter().find_map(|Entry { id, record }| {
            let record = record.ok().filter(|record| record.identity.is_started_like(&identity))?;
            let is_listed =
                |name: &str| listed.iter().any(|tool| Tool(tool.as_json()).name().as_deref() == Some(name));
            let waiting = record.waiting().map(|(name, _)| name.to_owned());
            let tools: Vec<String> = waiting.filter(|name| !is_listed(name)).collect();
            (!tools.is_empty()).then_some(Self::HeldBack { tools, server: id })
        })
    }

    /// Says whether this is the reason why `name` is missing.
    fn is_about(&self, name: &str) -> bool {
        match self {
            Self::Forbidden { tool, .. } => tool == name,
            Self::HeldBack { tools, .. } => tools.iter().any(|tool| tool == name),
        }
    }
}

/// Replaces the failure with a better reason if pins hold the tool back.
pub(super) fn unless_held_back(
    failure: CommandError,
    tool: &str,
    connection: &Connection,
    env: &Env,
) -> CommandError {
    MissingTool::held_back(&[], connection, env)
        .filter(|held| held.is_about(tool))
        .map_or(failure, CommandError::from)
}

fn names(tools: &[String]) -> String {
    let named: Vec<String> =
        tools.iter().take(MOST_NAMED).map(|tool| format!("`{}`", one_line(tool))).collect();
    match tools.len().saturating_sub(MOST_NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

fn pronoun(tools: &[String]) -> &'static str {
    if tools.len() == 1 { "it" } else { "them" }
}
