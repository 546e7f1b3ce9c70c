//! A call that was not made: it requires approval and no person can be asked, or its plan no longer
//! holds. The server's text addresses a model; this one addresses the person who typed the call.
use overt_policy::mark::request;
use overt_transport::client::Target;
use overt_wire::Message;
use overt_wire::json::Json;

use super::preview::marked;
use crate::output::{one_line, shell_word};
use crate::settings::{CallMode, CallSettings, Env};

/// Error codes of results for calls that were not made.
const NOT_GRANTED: &str = "PERMISSION_NOT_GRANTED";
const PLAN_CHANGED: &str = "PLAN_CHANGED";
/// How many scopes a hint names.
const MOST_SCOPES: usize = 4;

/// The error to show: what is wrong, and what to do instead.
pub(super) struct NotMade {
    pub(super) what: String,
    pub(super) hint: String,
}

impl NotMade {
    /// Returns `None` if the result says something else, or if the person could be asked and
    /// refused.
    pub(super) fn read(answer: &Message, settings: &CallSettings, env: &Env) -> Option<Self> {
        let code = marked(answer, request::ERROR).get("code").string();
        let is_open = marked(answer, request::QUESTION).value().is_some();
        match code.as_deref() {
            Some(NOT_GRANTED) if is_open && !env.can_ask() => Some(Self::unapproved(answer, settings)),
            Some(PLAN_CHANGED) if matches!(settings.mode, CallMode::AsPlanned(_)) => {
                Some(Self::plan_changed(settings))
            }
            _ => None,
        }
    }

    fn plan_changed(settings: &CallSettings) -> Self {
        let tool = one_line(&settings.tool);
        let why = "the arguments, or what is there, are not those of the preview";
        Self {
            what: format!("the plan for `{tool}` no longer holds: {why}; nothing was changed"),
            hint: "`--preview` in place of `--plan` shows the changes as they are now, and the new plan"
                .to_owned(),
        }
    }

    fn unapproved(answer: &Message, settings: &CallSettings) -> Self {
        let tool = one_line(&settings.tool);
        let decides_here = settings.limits.decide_here();
        if !decides_here && matches!(settings.connection.target, Target::Http(_)) {
            return Self::for_its_owner(&tool);
        }
        let what = format!(
            "`{tool}` needs your approval, and without a terminal you can't be asked; nothing was done"
        );
        let allow = match decides_here {
            true => with_grants(answer).unwrap_or_else(|| "allow it in the file of `--config`".to_owned()),
            false => format!("allow the tool first: `overt grants allow {} --for 8h`", shell_word(&tool)),
        };
        Self { what, hint: format!("call it at a terminal and answer there, or {allow}") }
    }

    /// A server that is reached by its address may belong to another person, with another state
    /// folder.
    fn for_its_owner(tool: &str) -> Self {
        let owner = "the owner of the server must allow it: at the server, `overt grants pending`";
        Self {
            what: format!(
                "`{tool}` needs approval, and without a terminal nobody can be asked; nothing was done"
            ),
            hint: format!("{owner} shows the question and the command that answers it"),
        }
    }
}

/// Returns the options that would give the call its missing scopes, unless there are too many.
fn with_grants(answer: &Message) -> Option<String> {
    let requested = marked(answer, request::REQUESTED).value().into_iter().flat_map(Json::elements);
    let scopes: Vec<String> = requested.filter_map(Json::string).map(|scope| one_line(&scope)).collect();
    let options: Vec<String> = scopes.iter().map(|scope| format!("--grant {}", shell_word(scope))).collect();
    (!options.is_empty() && options.len() <= MOST_SCOPES).then(|| format!("add `{}`", options.join(" ")))
}
