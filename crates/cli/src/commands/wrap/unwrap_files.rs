//! `overt unwrap`: removes Overt from the servers that it was put in front of.
use overt_clients::files::{Document, Edit, EntryId, FileRecord, Spliced, Unwrap, splice, unwrap as reverse};
use overt_layers::audit::{Entry, Kind};

use super::write::{A_PERSON_WRITES, Change, RecordedEdits, unconfirmed, write};
use crate::args::{EditedEntry, Format, UnwrapArgs};
use overt_layers::person::{PersonAction, Reach};
use overt_operator::OperatorError;

use crate::commands::grants::DecisionContext;
use crate::commands::prompter::{OnEnter, Prompter};
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::output::{FileReport, Printer, ServerReport, WrapReport, file_diff, one_line, patch_text};
use crate::settings::{Confirm, ControlPlan, FoundFile, WhichServers, find_client_files};
use crate::wrap_records::WrapRecords;

/// A file, with the edits that restore it.
struct Plan<'a> {
    file: &'a FoundFile,
    document: Document,
    spliced: Option<Spliced>,
    /// Entries that lost their wrapping. Their records go, so that Overt no longer looks for them.
    forgotten: Vec<EntryId>,
    report: FileReport,
}

pub(crate) fn unwrap(args: &UnwrapArgs, command: &CommandContext) -> Result<Exit, CommandError> {
    let CommandContext { env, output, printer, .. } = command;
    let files = find_client_files(&args.what, env)?;
    let state = command.state()?;
    let audit = ControlPlan::of_grants(env)?;
    let context = DecisionContext::new(command, &state, Some(&audit));
    let context = context.with_passphrase(args.answer.passphrase);
    let records = WrapRecords::new(state.path());
    let is_text = output.format == Format::Text;
    let mut reports = Vec::new();
    let mut plans = Vec::new();
    for file in &files {
        match plan(file, args, &records, printer)? {
            Ok(plan) => plans.push(plan),
            Err(problem) => {
                printer.warn(&format!("`{}`: {problem}", file.path.display()));
                let clients = file.client_names();
                let problem = Some(problem);
                reports.push(FileReport {
                    file: file.path.clone(),
                    clients,
                    problem,
                    ..FileReport::default()
                });
            }
        }
    }
    let has_changes = plans.iter().any(Plan::has_changes);
    for id in plans.iter().flat_map(|plan| &plan.forgotten) {
        printer.note(&format!(
            "{}: it is not wrapped any more, and Overt forgets that it was",
            one_line(&id.name)
        ));
    }
    for plan in plans.iter().filter(|plan| is_text && plan.spliced.is_some()) {
        printer.text(&patch_text(&plan.report.diff))?;
    }
    if !has_changes {
        printer.note(match args.what.is_empty() {
            true => "there is nothing to unwrap where your clients look; name a file that is elsewhere: `overt unwrap FILE`",
            false => "there is nothing to unwrap",
        });
    }
    let allowed = match Confirm::new(args.dry_run, args.yes, env) {
        _ if !has_changes => false,
        Confirm::DryRun => false,
        Confirm::Yes => true,
        Confirm::NoPerson => return Err(unconfirmed(A_PERSON_WRITES)),
        Confirm::Ask => {
            is_text
                && Prompter::new(printer)
                    .confirm("\nWrite this? A backup of each file is kept.", OnEnter::Yes)?
        }
    };
    if allowed {
        let changed = plans.iter().filter(|plan| plan.has_changes());
        let removal = RemoveOvert { records: changed.map(Plan::entry).collect() };
        let operator = context.operator();
        operator.act(&operator.answerer(), removal, |_| Ok::<(), OperatorError>(()))?;
    }
    for mut plan in plans {
        if let (Some(spliced), true) = (&plan.spliced, allowed) {
            let change =
                Change { file: plan.file, before: plan.document.text(), after: spliced.document.text() };
            match write(&change, RecordedEdits::Unwrapped(&spliced.edits), &records, printer) {
                Ok(backup) => {
                    plan.report.is_written = true;
                    plan.report.backup = Some(backup);
                }
                Err(problem) => {
                    printer.warn(&format!("`{}` was not written: {problem}", plan.file.path.display()));
                    plan.report.problem = Some(problem);
                }
            }
        }
        if allowed {
            plan.forget(&records)?;
        }
        reports.push(plan.report);
    }
    if reports.iter().any(|report| report.is_written) {
        printer.note("Done. Restart the clients whose files changed.");
    }
    if !is_text {
        printer.data(&WrapReport { files: &reports })?;
    }
    let is_kept = |report: &FileReport| report.servers.iter().any(|server| server.note.is_some());
    let is_wrong = reports.iter().any(|report| report.problem.is_some() || is_kept(report));
    Ok(if is_wrong { Exit::Findings } else { Exit::Ok })
}

/// The removal of Overt from clients' files. An agent must not remove what protects against it.
#[derive(Debug)]
struct RemoveOvert {
    records: Vec<Entry>,
}

impl PersonAction for RemoveOvert {
    type Effect = ();

    fn intent(&self) -> Vec<Entry> {
        self.records.clone()
    }

    fn outcome(&self, (): &()) -> Vec<Entry> {
        Vec::new()
    }

    fn reach(&self) -> Reach {
        Reach::Everywhere
    }

    fn allows_more(&self) -> bool {
        true
    }
}

impl Plan<'_> {
    fn has_changes(&self) -> bool {
        self.spliced.is_some() || !self.forgotten.is_empty()
    }

    fn forget(&self, records: &WrapRecords) -> Result<(), CommandError> {
        if self.forgotten.is_empty() {
            return Ok(());
        }
        let mut record = records.read(&self.file.real)?;
        record.entries.retain(|id, _| !self.forgotten.contains(id));
        Ok(records.write(&self.file.real, &record)?)
    }

    /// Returns the audit record of the change.
    fn entry(&self) -> Entry {
        let servers = self.report.servers.iter().filter(|server| server.note.is_none());
        let names: Vec<&str> = servers.map(|server| server.name.as_str()).collect();
        Entry {
            target: Some(self.file.path.display().to_string()),
            reason: Some(format!("unwrap {}", names.join(", "))),
            ..Entry::new(Kind::PolicyLoad)
        }
    }
}

/// Returns the edits that restore the file, or why the file can't be used.
fn plan<'a>(
    file: &'a FoundFile,
    args: &UnwrapArgs,
    records: &WrapRecords,
    printer: &Printer,
) -> Result<Result<Plan<'a>, String>, CommandError> {
    let document = match file.document() {
        Ok(document) => document,
        Err(error) => return Ok(Err(error.chain())),
    };
    let record = match records.read(&file.real) {
        Ok(record) => record,
        Err(error) => {
            printer.warn(&CommandError::from(error).chain());
            FileRecord::default()
        }
    };
    let mut edits: Vec<Edit> = Vec::new();
    let mut servers = Vec::new();
    let mut forgotten = Vec::new();
    let which = WhichServers::new(&args.servers);
    for entry in document.entries().iter().filter(|entry| which.includes(&entry.id.name)) {
        let (outcome, note, made) = match reverse(&document, entry, record.of(&entry.id)) {
            Unwrap::NotWrapped if record.of(&entry.id).is_empty() => continue,
            Unwrap::NotWrapped => {
                forgotten.push(entry.id.clone());
                ("forget", None, Vec::new())
            }
            Unwrap::Exact(made) => ("unwrap", None, made),
            Unwrap::ByShape(made) => {
                printer.note(&format!(
                    "{}: there is no record of it, so its command is taken from behind `--`",
                    one_line(&entry.id.name)
                ));
                ("unwrap", None, made)
            }
            Unwrap::Edited { edits: made, .. } if args.edited == EditedEntry::PutBack => {
                ("unwrap", None, made)
            }
            Unwrap::Edited { before, now, .. } => {
                printer.warn(&format!(
                    "{} was edited since it was wrapped, and stays as it is; `--force` puts the first line back\n  before: {}\n  now:    {}",
                    one_line(&entry.id.name),
                    one_line(&before),
                    one_line(&now)
                ));
                ("left alone", Some("it was edited since it was wrapped".to_owned()), Vec::new())
            }
            Unwrap::Unknown => {
                let note =
                    "there is no record of what it was; see the backups in the state folder".to_owned();
                printer.warn(&format!("{}: {note}", one_line(&entry.id.name)));
                ("left alone", Some(note), Vec::new())
            }
        };
        edits.extend(made);
        servers.push(ServerReport { name: entry.id.name.clone(), outcome, note });
    }
    let spliced = if edits.is_empty() { None } else { Some(splice(&document, edits)?) };
    let after = spliced.as_ref().map_or(document.text(), |spliced| spliced.document.text());
    let report = FileReport {
        file: file.path.clone(),
        clients: file.client_names(),
        servers,
        diff: file_diff(&file.path, document.text(), after),
        ..FileReport::default()
    };
    Ok(Ok(Plan { file, document, spliced, forgotten, report }))
}
