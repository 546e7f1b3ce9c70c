//! A call that needs a person's approval where no person can be asked. The server's text is for a
//! model; this one is for the person who typed it.
use overt_policy::mark::request;
use overt_wire::json::Json;
use overt_wire::view::CallResult;

use super::preview::marked;
use crate::output::{one_line, shell_word};
use crate::settings::{CallSettings, Env};

/// The code of a result that says so.
const NOT_GRANTED: &str = "PERMISSION_NOT_GRANTED";
/// Scopes that a hint names.
const MOST_SCOPES: usize = 4;

/// What is missing, and what to do instead.
pub(super) struct MissingApproval {
    pub(super) what: String,
    pub(super) hint: String,
}

impl MissingApproval {
    /// None where the result says something else, or the person could be asked and said no.
    pub(super) fn read(result: CallResult<'_>, settings: &CallSettings, env: &Env) -> Option<Self> {
        let code = marked(result, request::ERROR).get("code").string();
        let is_open = marked(result, request::QUESTION).value().is_some();
        if env.can_ask() || !is_open || code.as_deref() != Some(NOT_GRANTED) {
            return None;
        }
        let tool = one_line(&settings.tool);
        let what =
            format!("`{tool}` needs your approval, and there is no terminal to ask you on; nothing was done");
        let allow = match settings.limits.decide_here() {
            true => with_grants(result).unwrap_or_else(|| "allow it in the file of `--config`".to_owned()),
            false => format!("allow the tool first: `overt grants allow {} --for 8h`", shell_word(&tool)),
        };
        Some(Self { what, hint: format!("call it at a terminal and answer there, or {allow}") })
    }
}

/// What the call itself could bring.
fn with_grants(result: CallResult<'_>) -> Option<String> {
    let requested = marked(result, request::REQUESTED).value().into_iter().flat_map(Json::elements);
    let scopes: Vec<String> = requested.filter_map(Json::string).map(|scope| one_line(&scope)).collect();
    let options: Vec<String> = scopes.iter().map(|scope| format!("--grant {}", shell_word(scope))).collect();
    (!options.is_empty() && options.len() <= MOST_SCOPES).then(|| format!("add `{}`", options.join(" ")))
}
