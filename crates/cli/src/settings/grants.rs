//! The decisions of `overt grants allow` and `overt grants deny`.
use std::path::{Component, Path};
use std::time::Duration;

use overt_layers::grants::{Breadth, Extent, GrantLifetime, GrantVerdict, every_scope};
use overt_policy::scope::{Action, Scope, ScopeError};

use super::project::project_or_here;
use crate::args::{AdvanceArgs, AllowArgs, DenyArgs};
use crate::error::{CommandError, user_error};

/// A decision that a person makes on the command line.
#[derive(Debug)]
pub(crate) enum GrantDecision {
    /// A yes to questions.
    Allow { ids: Vec<String>, yes: ApprovalTerms, breadth: Breadth },
    /// A no to questions.
    Deny { ids: Vec<String>, no: RefusalExtent },
    /// A decision before any call asks.
    Advance(Advance),
}

/// A decision about a tool, made before any call asks.
#[derive(Debug)]
pub(crate) struct Advance {
    pub(crate) verdict: GrantVerdict,
    pub(crate) tool: String,
    /// The server of the tool; `None` if only one server has such a tool.
    pub(crate) server: Option<String>,
    pub(crate) scopes: Vec<Scope>,
    /// Whether the scopes are folders, which only some servers name in their scopes.
    pub(crate) is_about_folders: bool,
    /// The project in which it holds; `None` for every project.
    pub(crate) project: Option<String>,
    pub(crate) yes: ApprovalTerms,
}

/// How far a refusal reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RefusalExtent {
    /// Only this call.
    Call,
    /// Every question of the session.
    Session,
    /// Such calls in the project, until the refusal is revoked.
    Project,
}

/// How long an approval lasts, and whether a very broad one is confirmed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ApprovalTerms {
    pub(crate) lifetime: GrantLifetime,
    pub(crate) extent: Extent,
    pub(crate) at_most: Option<Duration>,
    pub(crate) dangerous: bool,
}

/// The questions or the tool that the command line names.
enum DecisionTarget {
    Questions(Vec<String>),
    Tool(String),
}

fn named(what: &[String], advance: &AdvanceArgs) -> Result<DecisionTarget, CommandError> {
    let is_question = |word: &String| {
        word.strip_prefix("q-").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    match (what, &advance.tool) {
        (_, Some(tool)) => Ok(DecisionTarget::Tool(tool.clone())),
        ([tool], None) if !is_question(tool) => Ok(DecisionTarget::Tool(tool.clone())),
        (words, None) => match words.iter().find(|word| !is_question(word)) {
            Some(other) => Err(user_error(format!("`{other}` is not a question"))
                .hinted("name questions as `overt grants pending` does (`q-3 q-4`), or one tool")),
            None if is_used(advance) => Err(only_in_advance()),
            None => Ok(DecisionTarget::Questions(words.to_vec())),
        },
    }
}

/// The error for an option that is only valid for questions, given with a tool.
fn only_for_questions(option: &str, tool: &str) -> CommandError {
    user_error(format!("`{option}` is an answer to a question, and `{tool}` is none"))
        .hinted("what is decided in advance holds until it is revoked, or for a time with `--for`")
}

/// The error for an option that is only valid for a tool, given with questions.
fn only_in_advance() -> CommandError {
    user_error("questions name their server, project and scopes themselves")
        .hinted("leave out `--server`, `--project`, `--folder` and `--scope`")
}

fn is_used(advance: &AdvanceArgs) -> bool {
    let AdvanceArgs { tool, server, folder, scope, project } = advance;
    tool.is_some() || server.is_some() || project.is_some() || !folder.is_empty() || !scope.is_empty()
}

impl GrantDecision {
    pub(crate) fn allow(args: &AllowArgs) -> Result<Self, CommandError> {
        let named = named(&args.what, &args.advance)?;
        let lifetime = match (args.session, args.always || args.everywhere || args.time.is_some(), args.once)
        {
            (true, ..) => GrantLifetime::Session,
            (_, true, false) => GrantLifetime::Always,
            _ => GrantLifetime::Once,
        };
        let extent = if args.everywhere { Extent::Everywhere } else { Extent::Project };
        let yes = ApprovalTerms { lifetime, extent, at_most: args.time, dangerous: args.dangerous };
        let breadth = args.breadth.unwrap_or(if args.wider { Breadth::Folder } else { Breadth::Call });
        match named {
            DecisionTarget::Questions(ids) => Ok(Self::Allow { ids, yes, breadth }),
            DecisionTarget::Tool(tool) => {
                let question_only = [
                    (args.once, "--once"),
                    (args.session, "--session"),
                    (args.wider, "--wider"),
                    (args.breadth.is_some(), "--breadth"),
                ];
                if let Some((_, option)) = question_only.into_iter().find(|(is_given, _)| *is_given) {
                    return Err(only_for_questions(option, &tool));
                }
                let yes = ApprovalTerms { lifetime: GrantLifetime::Always, ..yes };
                advance(GrantVerdict::Allow, tool, &args.advance, yes)
            }
        }
    }

    pub(crate) fn deny(args: &DenyArgs) -> Result<Self, CommandError> {
        match named(&args.what, &args.advance)? {
            DecisionTarget::Questions(_) if args.everywhere => Err(only_in_advance()),
            DecisionTarget::Questions(ids) => {
                let no = match (args.session, args.never) {
                    (true, _) => RefusalExtent::Session,
                    (_, true) => RefusalExtent::Project,
                    _ => RefusalExtent::Call,
                };
                Ok(Self::Deny { ids, no })
            }
            DecisionTarget::Tool(tool) if args.session => Err(only_for_questions("--session", &tool)),
            DecisionTarget::Tool(tool) => {
                let extent = if args.everywhere { Extent::Everywhere } else { Extent::Project };
                // A broad refusal is not dangerous, so it needs no confirmation.
                let yes =
                    ApprovalTerms { lifetime: GrantLifetime::Always, extent, at_most: None, dangerous: true };
                advance(GrantVerdict::Refuse, tool, &args.advance, yes)
            }
        }
    }
}

fn advance(
    verdict: GrantVerdict,
    tool: String,
    args: &AdvanceArgs,
    yes: ApprovalTerms,
) -> Result<GrantDecision, CommandError> {
    let parse = |text: &String| {
        Scope::parse(text).map_err(|source: ScopeError| {
            user_error(format!("`{text}` is not a scope")).caused_by(source).hinted(
                "a scope is an action and what it is done to: `write:file:/home/me/notes`, or `write:SERVER:TOOL` for one tool",
            )
        })
    };
    let mut scopes = args.scope.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
    for folder in &args.folder {
        scopes.extend(folder_scopes(folder)?);
    }
    if scopes.is_empty() {
        scopes = every_scope();
    }
    let project = match yes.extent {
        Extent::Everywhere => None,
        Extent::Project => Some(project_or_here(args.project.as_deref())?),
    };
    Ok(GrantDecision::Advance(Advance {
        verdict,
        tool,
        server: args.server.clone(),
        scopes,
        is_about_folders: !args.folder.is_empty(),
        project,
        yes,
    }))
}

/// The scopes for reading and changing in a folder, which need not exist yet.
fn folder_scopes(folder: &Path) -> Result<[Scope; 2], CommandError> {
    let path = match (folder.canonicalize(), std::path::absolute(folder)) {
        (Ok(path), _) => path,
        (Err(_), Ok(path)) if !path.components().any(|part| part == Component::ParentDir) => path,
        _ => {
            let folder = folder.display();
            return Err(user_error(format!("the folder `{folder}` is not there, and its path has `..`"))
                .hinted("name a folder that exists, or its whole path"));
        }
    };
    Ok([Action::Read, Action::Write].map(|action| Scope::of_path(action, "file", &path.to_string_lossy())))
}
