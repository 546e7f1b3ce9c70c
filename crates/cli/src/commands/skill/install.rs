//! `overt skill install`: shows a skill of a server, and writes it after a yes to exactly these
//! files.
use overt_wire::skill::Sha256Digest;

use super::fetch;
use super::install_plan::InstallPlan;
use super::store;
use crate::args::{Format, InstallSkillArgs};
use crate::commands::prompter::{OnEnter, Prompter};
use crate::commands::session::with_server;
use crate::context::CommandContext;
use crate::error::{CommandError, Exit, findings_error, user_error};
use crate::output::{InstallReport, Installed, install_text};

pub(super) fn install(args: &InstallSkillArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let connection = fetch::connection(&args.target, args.from.as_deref(), &context.env)?;
    let CommandContext { output, printer, .. } = context;
    let mut fetched = None;
    let exit = with_server(&connection, context, async |client, printer| {
        fetched = Some(fetch::all(client, &args.uri, printer).await?);
        Ok(Exit::Ok)
    })?;
    // Without a skill, the person interrupted the command.
    let Some(skill) = fetched else { return Ok(exit) };
    let plan = InstallPlan::make(&skill, &args.dir, args.existing)?;
    if output.format == Format::Text {
        printer.text(&install_text(&plan.shown(), &connection.label, printer.width()))?;
    }
    let installed = decide(&plan, args, context);
    let installed = match installed {
        Ok(true) => {
            store::write(&plan)?;
            Installed::Yes
        }
        Ok(false) => Installed::No,
        Err(refusal) => {
            // Programs get to see what they did not approve.
            if output.format == Format::Json {
                printer.data(&InstallReport::new(&plan.shown(), Installed::No))?;
            }
            return Err(refusal);
        }
    };
    match (output.format, installed) {
        (Format::Json, _) => printer.data(&InstallReport::new(&plan.shown(), installed))?,
        (Format::Text, Installed::Yes) => printer.note(&format!("wrote `{}`", plan.target().display())),
        (Format::Text, Installed::No) if plan.is_there() => printer.note("the same files are there already"),
        (Format::Text, Installed::No) => printer.note("nothing was written"),
    }
    Ok(Exit::Ok)
}

/// Returns whether to write the skill. Asks the person if no option decides.
fn decide(
    plan: &InstallPlan<'_>,
    args: &InstallSkillArgs,
    context: &CommandContext,
) -> Result<bool, CommandError> {
    let found = plan.digest();
    match args.expect {
        _ if args.dry_run => Ok(false),
        Some(expected) if expected == found => Ok(!plan.is_there()),
        Some(expected) => Err(findings_error(format!(
            "nothing was written: the set of files has the digest `{found}`, not `{expected}`"
        ))
        .hinted("the skill has changed since you looked at it; `--dry-run` shows what it is now")),
        None if plan.is_there() => Ok(false),
        None if args.yes && plan.has_errors() => {
            Err(findings_error("nothing was written: readers refuse the skill").hinted(approve(found)))
        }
        None if args.yes => Ok(true),
        None if !context.env.can_ask() => {
            Err(user_error("nothing was written: without a terminal you can't be asked")
                .hinted(approve(found)))
        }
        None => {
            let question = format!("Write these files into `{}`?", plan.target().display());
            Ok(Prompter::new(&context.printer).confirm(&question, OnEnter::No)?)
        }
    }
}

fn approve(found: Sha256Digest) -> String {
    format!("look at what is shown, and then approve these files: `--expect {found}`")
}
