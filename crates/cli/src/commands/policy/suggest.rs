//! `overt policy suggest`: derives what to allow from recorded calls, and shows it as a diff of the
//! settings file and as grants.
use std::io;
use std::path::PathBuf;

use overt_layers::audit::{Entry, Kind};
use overt_policy::scope::Scope;
use overt_settings::suggest::{ApprovalState, Observation, Proposal, suggest as propose, with_allowed};
use overt_settings::toml_edit::EditError;
use overt_state::audit::{Action, Actions, End, NewestRecords};
use overt_wire::json::{Array, Object};

use super::one_off::is_one_off;
use super::suggest_grants;
use crate::args::{Format, SuggestArgs};
use crate::commands::grants::DecisionContext;
use crate::context::CommandContext;
use crate::error::{CommandError, Diagnostic, Exit};
use crate::output::{Printer, file_diff, patch_text};
use crate::settings::{SuggestSettings, logs_in};
use overt_operator::policy_edit::{EditPolicy, write as write_policy};
use overt_operator::replace_file::read_if_any;

/// The settings file can't be read, changed or written.
#[derive(Debug, thiserror::Error)]
enum SuggestError {
    #[error("the settings file `{}` can't be read", .0.display())]
    Unreadable(PathBuf, #[source] io::Error),
    #[error("the settings file `{}` can't be added to", .0.display())]
    Form(PathBuf, #[source] EditError),
}

impl Diagnostic for SuggestError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Unreadable(..) => Some("name a file with `--config FILE`".to_owned()),
            Self::Form(..) => Some(
                "write the list as `allow = [...]` under a line `[settings]`; nothing was written".to_owned(),
            ),
        }
    }
}

/// The most actions that a proposal is based on. The newest are used.
const MOST_ACTIONS: usize = 1_000_000;

pub(super) fn suggest(args: &SuggestArgs, command: &CommandContext) -> Result<Exit, CommandError> {
    let settings = SuggestSettings::resolve(args, &command.env)?;
    let context = DecisionContext::new(command, &settings.state, Some(&settings.audit));
    let context = context.with_passphrase(args.answer.passphrase);
    let printer = context.printer();
    let logs = logs_in(&settings.logs);
    printer.progress_start("reading the log");
    let actions = Actions::new(NewestRecords::open(&logs, &settings.wanted));
    let is_wanted = |action: &Action| settings.conditions.iter().all(|condition| condition.takes(action));
    let (mut observations, mut left_out) = (Vec::new(), UnproposedCalls::default());
    for action in actions.filter(is_wanted).take(MOST_ACTIONS) {
        match observation(&action, settings.is_own) {
            Some(one) if one.needed.iter().any(|scope| is_one_off(scope, one.project.as_deref())) => {
                left_out.one_off += 1;
            }
            Some(observation) => observations.push(observation),
            None => left_out.unclear += 1,
        }
    }
    printer.progress_stop();
    let mut proposal = propose(&observations, args.paths);
    proposal.grants = suggest_grants::not_given(&context, proposal.grants)?;
    let before = read_if_any(&settings.file)
        .map_err(|error| SuggestError::Unreadable(settings.file.clone(), error))?;
    let old = before.as_deref().unwrap_or_default();
    let new = with_allowed(old, &proposal.allow);
    let new = new.map_err(|error| SuggestError::Form(settings.file.clone(), error))?;
    let diff = file_diff(&settings.file, old, &new);
    match context.format() {
        Format::Json => printer.json(json(&proposal, &diff, observations.len()).as_json())?,
        Format::Text => {
            printer.text(&patch_text(&diff))?;
            printer.text(&suggest_grants::commands(&proposal.grants))?;
        }
    }
    let is_new = old != new || !proposal.grants.is_empty();
    tell(&proposal, observations.len(), &left_out, is_new, printer);
    if args.write && is_new {
        let change = (old != new).then_some(FileChange { before: before.as_deref(), new: &new });
        write(&settings, &context, &proposal, change)?;
    }
    Ok(Exit::Ok)
}

/// Counts of calls for which nothing is proposed.
#[derive(Debug, Default)]
struct UnproposedCalls {
    /// The records don't say which scopes they needed.
    unclear: usize,
    /// They touched something that exists only once.
    one_off: usize,
}

/// The settings file before and after the change.
struct FileChange<'a> {
    before: Option<&'a str>,
    new: &'a str,
}

/// Writes the file and gives the grants. Both allow more, so only a person may do this.
fn write(
    settings: &SuggestSettings,
    context: &DecisionContext<'_>,
    proposal: &Proposal,
    change: Option<FileChange<'_>>,
) -> Result<(), CommandError> {
    let of_file = change.as_ref().map(|_| Entry {
        reason: Some(format!("`{}`, as `overt policy suggest` proposed", settings.file.display())),
        requested: proposal.allow.iter().map(|allowed| allowed.scope.to_string()).collect(),
        ..Entry::new(Kind::PolicyLoad)
    });
    let of_grants = suggest_grants::records(&proposal.grants);
    let operator = context.operator();
    let check = operator.proven(operator.prove(of_file.iter().cloned().chain(of_grants))?);
    if let (Some(record), Some(FileChange { before, new })) = (of_file, change) {
        let edit = EditPolicy {
            path: settings.file.clone(),
            before: before.map(str::to_owned),
            after: new.to_owned(),
            records: vec![record],
            allows_more: true,
        };
        operator.act(&check, edit, |edit| write_policy(&edit))?;
        context.printer().note(&format!("`{}` is written", settings.file.display()));
    }
    suggest_grants::give_all(&operator, &check, &proposal.grants)?;
    if !proposal.grants.is_empty() {
        let given = counted(proposal.grants.len(), "grant");
        context.printer().note(&format!("{given} given; `overt grants list` shows them"));
    }
    Ok(())
}

fn counted(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what} is") } else { format!("{number} {what}s are") }
}

/// Returns what a call needed and whether it was allowed, or `None` if the record does not say.
fn observation(action: &Action, is_own: bool) -> Option<Observation> {
    let passage = match action.end {
        End::Done | End::Failed(_) if action.grant.is_some() => ApprovalState::Granted,
        End::Done | End::Failed(_) => ApprovalState::Unasked,
        End::Refused(_) => ApprovalState::Refused,
        // The record does not show whether it would have been allowed.
        End::FailedBefore(_) | End::Open => return None,
    };
    let server = action
        .server_id
        .as_ref()
        .map_or_else(|| action.server.clone(), |id| format!("{}#{id}", action.server));
    let needed = action.needed.iter().map(|text| Scope::parse(text).ok()).collect::<Option<Vec<_>>>()?;
    // With a list of what is allowed, the operator believes the server's claim that a tool only
    // reads. The user's own file does not imply that.
    let is_claim = !is_own && action.only_reads && action.server_id.is_some();
    let needed =
        needed.into_iter().map(|scope| match is_claim && scope.to_string().starts_with("execute:") {
            true => scope.reading(),
            false => scope,
        });
    let needed: Vec<Scope> = needed.collect();
    let (tool, project) = (action.target.clone(), action.project.clone());
    (!needed.is_empty()).then_some(Observation { server, tool, project, needed, passage })
}

fn tell(proposal: &Proposal, calls: usize, left_out: &UnproposedCalls, is_new: bool, printer: &Printer) {
    match (calls, is_new) {
        (0, _) => printer.note("no recorded call is like that"),
        (calls, false) => printer.note(&format!("the settings already allow what {calls} calls did")),
        (calls, true) => printer.note(&format!(
            "from {calls} calls; the list takes the place of the default, so whatever is not in it asks"
        )),
    }
    if !proposal.grants.is_empty() {
        printer.note(
            "you were asked about some of it, so it needs grants too, each until you revoke it; `--write` gives them",
        );
    }
    for scope in &proposal.withheld {
        printer.note(&format!(
            "left out because it was refused the last time, or is too wide to allow for good: {}",
            crate::output::one_line(&scope.to_string())
        ));
    }
    if proposal.without_project > 0 {
        printer.note(&format!(
            "{} that you agreed to left out: they had no project, and a grant would hold in every project",
            counted(proposal.without_project, "call"),
        ));
    }
    if left_out.one_off > 0 {
        printer.note(&format!(
            "{} left out: what they touched exists once, such as a temporary file or the view of a call",
            counted(left_out.one_off, "call"),
        ));
    }
    if left_out.unclear > 0 {
        printer.note(&format!(
            "{} left out: the records don't say which scopes they needed",
            counted(left_out.unclear, "call"),
        ));
    }
}

fn json(proposal: &Proposal, diff: &str, calls: usize) -> overt_wire::json::JsonBuf {
    let allow = proposal.allow.iter().fold(Array::new(), |array, one| {
        let object = Object::new()
            .string("scope", &one.scope.to_string())
            .value("calls", &one.calls)
            .value("different", &one.different);
        array.json(object.finish().as_json())
    });
    let withheld: Vec<String> = proposal.withheld.iter().map(ToString::to_string).collect();
    Object::new()
        .value("calls", &calls)
        .json("allow", allow.finish().as_json())
        .json("grants", suggest_grants::json(&proposal.grants).as_json())
        .value("withheld", &withheld)
        .value("without_project", &proposal.without_project)
        .string("diff", diff)
        .finish()
}
