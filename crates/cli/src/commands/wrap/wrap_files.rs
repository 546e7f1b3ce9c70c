//! `overt wrap`: puts Overt in front of the servers of clients.
use overt_clients::RewriteTime;
use overt_clients::files::{Document, is_tracked};

use super::choose::{choose, decisions};
use super::plan::FilePlan;
use super::write::{Change, RecordedEdits, YES_WRITES, unconfirmed, write};
use crate::args::Format;
use overt_layers::audit::{Entry, Kind};
use overt_layers::grants::{Answer, SeenTool};
use overt_operator::policy_edit::{EditPolicy, write as write_policy};

use crate::commands::grants::DecisionContext;
use crate::commands::prompter::{OnEnter, Prompter};
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::output::{
    FileReport, Printer, WrapReport, found_text, one_line, patch_text, project_words, shell_word,
};
use crate::settings::{Confirm, ServerTrust, ShownTools, WrapSettings};
use crate::wrap_records::WrapRecords;

pub(crate) fn wrap(settings: &WrapSettings, context: &CommandContext) -> Result<Exit, CommandError> {
    let CommandContext { output, printer, .. } = context;
    let mut plans: Vec<FilePlan> =
        settings.files.iter().map(|file| FilePlan::new(file, &settings.which, &settings.managed)).collect();
    let is_text = output.format == Format::Text;
    if plans.is_empty() {
        printer.note("no configuration of a known client was found; name a file: `overt wrap FILE`");
        return finish(context, &[], Exit::Ok);
    }
    for plan in &mut plans {
        plan.splice(&settings.wrapper, &settings.state)?;
    }
    let found: Vec<FileReport> = plans.iter().map(FilePlan::report).collect();
    printer.block(&found_text(&found, printer.width()));
    if settings.confirm == Confirm::Ask && is_text {
        if !choose(&mut plans, context)? {
            printer.note("nothing was written");
            return Ok(Exit::Interrupted);
        }
        for plan in &mut plans {
            plan.spliced = None;
            plan.splice(&settings.wrapper, &settings.state)?;
        }
    }
    let has_changes = plans.iter().any(|plan| plan.spliced.is_some());
    for plan in plans.iter().filter(|plan| plan.spliced.is_some()) {
        if is_text {
            printer.text(&patch_text(&plan.report().diff))?;
        }
        warn(plan, printer);
    }
    if !has_changes {
        printer.note("there is nothing to wrap");
    }
    let allowed = match settings.confirm {
        _ if !has_changes => false,
        Confirm::DryRun => false,
        Confirm::Yes => true,
        Confirm::NoPerson => {
            if !is_text {
                finish(context, &plans.iter().map(FilePlan::report).collect::<Vec<_>>(), Exit::Ok)?;
            }
            return Err(unconfirmed(YES_WRITES));
        }
        Confirm::Ask => {
            let question = "\nWrite this? A backup of each file is kept.";
            is_text && Prompter::new(printer).confirm(question, OnEnter::Yes)?
        }
    };
    if has_changes && settings.confirm == Confirm::Ask && !allowed {
        printer.note("nothing was written");
    }
    let mut reports = Vec::new();
    let records = WrapRecords::new(settings.state.path());
    if allowed {
        keep(settings, &decisions(&plans), &records, context)?;
    }
    for plan in &plans {
        let mut report = plan.report();
        if let (Some(spliced), true) = (&plan.spliced, allowed) {
            let before = plan.document.as_ref().map(Document::text).unwrap_or_default();
            let change = Change { file: &plan.file, before, after: spliced.document.text() };
            match write(&change, RecordedEdits::Wrapped(&spliced.edits), &records, printer) {
                Ok(backup) => report = FileReport { is_written: true, backup: Some(backup), ..report },
                Err(problem) => {
                    printer.warn(&format!("`{}` was not written: {problem}", plan.file.path.display()));
                    report.problem = Some(problem);
                }
            }
        }
        reports.push(report);
    }
    if reports.iter().any(|report| report.is_written) {
        farewell(&plans, &reports, settings, printer);
    }
    let is_wrong = reports.iter().any(|report| report.problem.is_some());
    finish(context, &reports, if is_wrong { Exit::Findings } else { Exit::Ok })
}

/// Warns about consequences that a person should know before they say yes.
fn warn(plan: &FilePlan, printer: &Printer) {
    let path = plan.file.path.display();
    if is_tracked(&plan.file.real) {
        printer.warn(&format!(
            "git tracks `{path}`: with this change, everybody who uses the repository needs Overt at the same place"
        ));
    }
    let writer = plan.file.clients.iter().find(|client| client.rewrites == RewriteTime::Often);
    if let (Some(client), None) = (writer, &plan.file.project) {
        printer.note(&format!(
            "{} writes `{path}` while it runs: Overt compares the file just before it replaces it",
            client.name
        ));
    }
}

/// Writes the answers to the user's file, after recording them. This happens before a client can
/// start a wrapped server.
fn keep(
    settings: &WrapSettings,
    decisions: &[(ServerTrust, Vec<SeenTool>)],
    records: &WrapRecords,
    context: &CommandContext,
) -> Result<(), CommandError> {
    let known = settings.trust_file.decisions()?;
    let is_known = |one: &ServerTrust| known.iter().any(|other| other.is_same(one));
    // A script gives the recommended answer, but only for servers without a decision.
    let is_script = settings.confirm == Confirm::Yes;
    let (decisions, shown): (Vec<ServerTrust>, Vec<Vec<SeenTool>>) =
        decisions.iter().filter(|(one, _)| !(is_script && is_known(one))).cloned().unzip();
    if decisions.is_empty() {
        return Ok(());
    }
    // Less is asked than before only if a person says so. A script may give what Overt
    // recommends.
    let allows_more = decisions.iter().any(|one| one.is_loose(&known));
    let (path, before, after) = settings.trust_file.with(&decisions)?;
    if before.as_deref() == Some(after.as_str()) && shown.iter().all(Vec::is_empty) {
        return Ok(());
    }
    let decision = DecisionContext::new(context, &settings.state, Some(&settings.audit));
    let operator = decision.operator();
    let records_of_trust = decisions.iter().map(trust_record).collect();
    let edit = EditPolicy {
        path: path.clone(),
        before: before.clone(),
        after,
        records: records_of_trust,
        allows_more,
    };
    let back_up = || -> Result<(), CommandError> {
        let Some(before) = &before else { return Ok(()) };
        let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H%M%SZ").to_string();
        records.back_up(&path, before, &now)?;
        Ok(())
    };
    back_up()?;
    operator.act(&operator.answerer(), edit, |edit| write_policy(&edit))?;
    let kept = ShownTools::of(settings.state.path());
    for (decision, shown) in decisions.iter().zip(&shown).filter(|(_, shown)| !shown.is_empty()) {
        if let Err(error) = kept.write(decision, shown) {
            context.printer.warn(&format!(
                "what you were shown of `{}` can't be kept ({error}), so you are asked about its tools again",
                one_line(&decision.name)
            ));
        }
    }
    Ok(())
}

/// Returns the audit record of a decision. It applies to every server with that name and command,
/// so the record has no server id.
fn trust_record(decision: &ServerTrust) -> Entry {
    let project = decision.project.as_deref();
    let place = project.map_or_else(|| "in every project".to_owned(), |project| project_words(Some(project)));
    Entry {
        decision: Some("allow"),
        reason: Some(format!("{}, {place}", Answer::Trust(decision.trust))),
        ..Entry::of_server(Kind::Approval, &decision.name, project)
    }
}

fn farewell(plans: &[FilePlan], reports: &[FileReport], settings: &WrapSettings, printer: &Printer) {
    let mut named: Vec<&str> = Vec::new();
    let mut text = String::from("Done.");
    let written = plans.iter().zip(reports).filter(|(_, report)| report.is_written);
    for client in written.flat_map(|(plan, _)| &plan.file.clients) {
        if !named.contains(&client.word) {
            named.push(client.word);
            text.push_str(&format!("\n  {}: {}", client.name, client.reload));
        }
    }
    if let Some(path) = settings.trust_file.path() {
        text.push_str(&format!("\nHow much each server asks you is in {}.", path.display()));
    }
    text.push_str("\nAnswer questions with `overt watch`, or with `overt ui --open` in a browser.");
    let named: String = settings.named.iter().map(|name| format!(" {}", shell_word(name))).collect();
    let unwrap = one_line(&format!("overt unwrap{named}"));
    text.push_str(&format!("\n`{unwrap}` puts everything back."));
    printer.note(&text);
}

fn finish(context: &CommandContext, reports: &[FileReport], exit: Exit) -> Result<Exit, CommandError> {
    if context.output.format == Format::Json {
        context.printer.data(&WrapReport { files: reports })?;
    }
    Ok(exit)
}
