//! The newest actions, as lines or as JSON.
use jiff::Zoned;
use overt_state::audit::{Actions, NewestRecords, RecordQuery, Source, UnreadLog};

use crate::args::Format;
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::output::{ActivityLines, Printer, action_json, one_line};
use crate::settings::Condition;

/// How many bytes are collected before they are printed.
const CHUNK: usize = 16 << 10;

pub(super) fn list(
    logs: &[Source],
    (wanted, conditions): (&RecordQuery, &[Condition]),
    count: usize,
    context: &CommandContext,
) -> Result<Exit, CommandError> {
    let mut actions = Actions::new(NewestRecords::open(logs, wanted));
    let printer = &context.printer;
    let is_json = context.output.format == Format::Json;
    let mut lines = ActivityLines::new(Zoned::now(), printer.width());
    let (mut text, mut shown, mut has_more) = (String::new(), 0, false);
    for action in &mut actions {
        if !conditions.iter().all(|condition| condition.takes(&action)) {
            continue;
        }
        if shown >= count {
            has_more = true;
            break;
        }
        if is_json {
            printer.json(action_json(&action).as_json())?;
            shown += 1;
            continue;
        }
        has_more |= add(&mut text, &mut shown, count, lines.push(action));
        if text.len() >= CHUNK {
            printer.text(&std::mem::take(&mut text))?;
        }
    }
    has_more |= add(&mut text, &mut shown, count, lines.finish());
    printer.text(&text)?;
    if has_more && !is_json {
        printer.note(&format!(
            "there is more: `-n {}` shows more entries, `--until TIME` earlier ones",
            count * 10
        ));
    } else if text.is_empty() && shown == 0 && !is_json {
        printer.note("no recorded action matches");
    }
    tell_unread(&actions.unread(), printer);
    Ok(Exit::Ok)
}

/// Adds at most `count` entries in total. Returns whether some were left out.
fn add(text: &mut String, shown: &mut usize, count: usize, entries: Vec<String>) -> bool {
    let room = count.saturating_sub(*shown);
    let has_more = entries.len() > room;
    for entry in entries.into_iter().take(room) {
        text.push_str(&entry);
        text.push('\n');
        *shown += 1;
    }
    has_more
}

/// Prints a warning for each log that could not be read. Everything else is still shown.
pub(super) fn tell_unread(unread: &[UnreadLog], printer: &Printer) {
    for UnreadLog { log, lines, why } in unread {
        let log = one_line(log);
        if *lines > 0 {
            let lines = if *lines == 1 { "1 line" } else { &format!("{lines} lines") };
            printer.warn(&format!("log `{log}`: skipped {lines} that can't be read as records; `overt audit verify {log}` says where"));
        }
        if let Some(why) = why {
            printer.warn(&format!("log `{log}` could not be read: {}", one_line(why)));
        }
    }
}
