//! Shows actions as they come, until interrupted, after the last ones from before.
use std::path::Path;
use std::time::Duration;

use jiff::Zoned;
use overt_state::audit::{Action, Actions, Follower, NewestRecords, RecordQuery};

use crate::args::Format;
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::output::{ActivityLines, Printer, action_json};
use crate::settings::{Condition, logs_in};

/// How often the logs are checked for new records.
const PAUSE: Duration = Duration::from_millis(250);
/// How many earlier actions are shown first.
const BEFORE: usize = 10;
/// The most actions that are read at a time.
const AT_ONCE: usize = 10_000;

pub(super) fn follow(
    folder: &Path,
    conditions: &[Condition],
    context: &CommandContext,
) -> Result<Exit, CommandError> {
    let CommandContext { output, printer, .. } = context;
    let is_wanted = |action: &Action| conditions.iter().all(|condition| condition.takes(action));
    let logs = logs_in(folder);
    let mut follower = Follower::from_end(&logs);
    let before = Actions::new(NewestRecords::open(&logs, &RecordQuery::default()));
    let mut before: Vec<Action> = before.filter(is_wanted).take(BEFORE).collect();
    before.reverse();
    let mut lines = ActivityLines::new(Zoned::now(), printer.width());
    show(output.format, before, &mut lines, printer)?;
    loop {
        std::thread::sleep(PAUSE);
        // Servers that were started in the meantime have their own logs.
        let new = follower.next(&logs_in(folder), AT_ONCE);
        show(output.format, new.into_iter().filter(is_wanted).collect(), &mut lines, printer)?;
    }
}

/// Shows the actions of one poll. Grouped lines are finished at once, so that the person need not
/// wait for the end of a series of reads.
fn show(
    format: Format,
    actions: Vec<Action>,
    lines: &mut ActivityLines,
    printer: &Printer,
) -> Result<(), CommandError> {
    if format == Format::Json {
        for action in &actions {
            printer.json(action_json(action).as_json())?;
        }
        return Ok(());
    }
    let mut all: Vec<String> = actions.into_iter().flat_map(|action| lines.push(action)).collect();
    all.extend(lines.finish());
    if !all.is_empty() {
        printer.text(&format!("{}\n", all.join("\n")))?;
    }
    Ok(())
}
