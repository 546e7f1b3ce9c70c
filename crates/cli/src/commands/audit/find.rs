//! `overt audit query` and `overt audit export`.
use overt_state::audit::{self, Order, csv_cell, csv_header, csv_row, for_each_of};

use super::unreadable::unreadable;
use crate::args::{ExportArgs, ExportForm, Format, QueryArgs};
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::output::{Merged, OutputError, json_text, record_of, records_json, records_text};
use crate::settings::{exported, queried};

/// How many bytes are collected before they are printed.
const CHUNK: usize = 64 << 10;

pub(super) fn query(args: &QueryArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let (logs, filter) = queried(args, &context.env)?;
    let order = match args.oldest || !args.filter.after.is_empty() {
        true => Order::OldestFirst,
        false => Order::NewestFirst,
    };
    let printer = &context.printer;
    printer.progress_start("reading the audit log");
    let found = audit::query_all(&logs, &filter, order, args.limit as usize);
    printer.progress_stop();
    let found = Merged { logs: &logs, found: found.map_err(unreadable)? };
    match context.output.format {
        Format::Json => printer.json(records_json(&found).as_json())?,
        Format::Text => printer.text(&records_text(&found, printer.width()))?,
    }
    if context.output.format == Format::Text {
        let more = found.next().map(|next| format!("there are more: `--after {next}` shows them"));
        let earlier =
            found.previous().map(|place| format!("there are earlier ones: `--before {place}` shows them"));
        more.or(earlier).iter().for_each(|note| printer.note(note));
    }
    Ok(Exit::Ok)
}

pub(super) fn export(args: &ExportArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let (logs, filter) = exported(args, &context.env)?;
    let printer = &context.printer;
    let several = logs.len() > 1;
    let mut text = match args.form {
        ExportForm::Jsonl => String::new(),
        ExportForm::Csv if several => format!("log,{}\r\n", csv_header()),
        ExportForm::Csv => format!("{}\r\n", csv_header()),
    };
    let mut printed: Result<(), OutputError> = Ok(());
    for_each_of(&logs, &filter, &mut |log, record| {
        let name = logs[log].name.as_str();
        match args.form {
            ExportForm::Jsonl if several => {
                text.extend([&json_text(&record_of(name, record)), "\n"]);
            }
            ExportForm::Csv if several => text.extend([&csv_cell(name), ",", &csv_row(record), "\r\n"]),
            ExportForm::Jsonl => text.extend([&json_text(record.as_str()), "\n"]),
            ExportForm::Csv => text.extend([&csv_row(record), "\r\n"]),
        }
        if text.len() >= CHUNK && printed.is_ok() {
            printed = printer.exact(text.as_bytes());
            text.clear();
        }
        printed.is_ok()
    })
    .map_err(unreadable)?;
    printed?;
    printer.exact(text.as_bytes())?;
    Ok(Exit::Ok)
}
