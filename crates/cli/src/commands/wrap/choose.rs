//! Asks the person what to do with each server.
use overt_clients::files::{Launch, launch};
use overt_layers::grants::SeenTool;
use overt_policy::Trust;

use super::introduction::introduce;
use super::plan::{Action, FilePlan, file_roots};
use crate::commands::prompter::Prompter;
use crate::context::CommandContext;
use crate::error::CommandError;
use crate::output::{failure_line, hanging, one_line};
use crate::settings::{ServerLaunch, ServerTrust, connection_of};

/// Introduces each server and asks about it. Returns false if the person wants to stop.
pub(super) fn choose(plans: &mut [FilePlan], context: &CommandContext) -> Result<bool, CommandError> {
    let prompter = Prompter::new(&context.printer);
    let width = context.printer.width();
    for plan in plans {
        let Ok(document) = &plan.document else { continue };
        for server in plan.servers.iter_mut().filter(|server| matches!(server.action, Action::Wrap(_))) {
            let Some(entry) = document.entry(&server.id) else { continue };
            let Ok(launch) = launch(&entry.node, plan.file.bare_url) else { continue };
            let title = format!("{}  ({})", one_line(&server.id.name), plan.file.path.display());
            prompter.say(&format!("\n{}", hanging(&title, (0, 2), width)));
            let introduced = match connection_of(entry, &launch, &plan.file, &context.env) {
                Ok(connection) => introduce(&connection, context),
                Err(error) => Err(error),
            };
            match introduced {
                Ok(Some(introduction)) => {
                    prompter.say(&introduction.text(width));
                    server.shown = introduction.definitions;
                }
                Ok(None) => return Ok(false),
                Err(failure) => {
                    let line = format!("it does not start from here: {}", failure_line(&failure));
                    prompter.say(&hanging(&line, (2, 4), width));
                }
            }
            let offers_files = match &launch {
                Launch::Program(program) => file_roots(&program.words).is_some(),
                _ => false,
            };
            match ask(&prompter, offers_files)? {
                Some(action) => server.action = action,
                None => return Ok(false),
            }
        }
    }
    Ok(true)
}

fn ask(prompter: &Prompter<'_>, offers_files: bool) -> Result<Option<Action>, CommandError> {
    let own = if offers_files { " · use [o]vert fs in its place" } else { "" };
    let question = format!(
        "  Ask you before [c]hanges (recommended) · [d]eletes · [e]very call ·\n  [n]othing, only record · [s]kip it{own} · [?] "
    );
    loop {
        let Some(answer) = prompter.ask(&question)? else { return Ok(None) };
        match answer.to_lowercase().as_str() {
            "" | "c" | "changes" => return Ok(Some(Action::Wrap(Trust::Changes))),
            "e" | "everything" => return Ok(Some(Action::Wrap(Trust::Everything))),
            "d" | "deletes" => return Ok(Some(Action::Wrap(Trust::Deletes))),
            "n" | "nothing" => return Ok(Some(Action::Wrap(Trust::Nothing))),
            "s" | "skip" => return Ok(Some(Action::Skip)),
            "o" | "overt fs" if offers_files => return Ok(Some(Action::OwnFiles)),
            "q" | "quit" => return Ok(None),
            _ => prompter.say(&help(offers_files)),
        }
    }
}

fn help(offers_files: bool) -> String {
    let own = if offers_files { OWN_FILES_HELP } else { "" };
    format!("{ANSWERS_HELP}{own}{END_HELP}")
}

const ANSWERS_HELP: &str = "
  c  Tools that say they only read run without asking; every other call asks you.
  d  Only what may delete something or leaves this machine asks you.
  e  Every call asks you first.
  n  Nothing asks you. Every call is in the log, so that you can decide later.
  s  The server stays as it is, without Overt.
";
const OWN_FILES_HELP: &str =
    "  o  Overt's own file server serves the same folders: it shows each change before
     it happens, and can undo it.
";
const END_HELP: &str = "  q  Stop; nothing is written.
  You can change the answer later in overt.toml or with `overt trust`.

";

/// Returns the answers as decisions for the user's file, with the definitions that were shown.
pub(super) fn decisions(plans: &[FilePlan]) -> Vec<(ServerTrust, Vec<SeenTool>)> {
    let mut decisions = Vec::new();
    for plan in plans {
        let Ok(document) = &plan.document else { continue };
        for server in &plan.servers {
            let (Action::Wrap(trust), Some(entry)) = (&server.action, document.entry(&server.id)) else {
                continue;
            };
            let started = match launch(&entry.node, plan.file.bare_url) {
                Ok(Launch::Program(program)) => {
                    ServerLaunch::Command(program.words.iter().map(|&word| word.to_owned()).collect())
                }
                Ok(Launch::Remote(remote)) => ServerLaunch::Url(remote.url.to_owned()),
                _ => continue,
            };
            let project = plan.file.project.as_ref().map(|dir| dir.to_string_lossy().into_owned());
            let decision = ServerTrust { name: server.id.name.clone(), started, project, trust: *trust };
            decisions.push((decision, server.shown.clone()));
        }
    }
    decisions
}
