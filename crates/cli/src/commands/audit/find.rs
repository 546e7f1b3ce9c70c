//! Some records of a log.
use overt_state::audit::{self, csv_header, csv_row, for_each};

use super::task::unreadable;
use crate::args::{ExportForm, Format};
use crate::failure::{Exit, Failure};
use crate::output::{OutputError, Printer, records_json, records_text};
use crate::settings::{Env, ExportSettings, QuerySettings, Verbosity};

/// Bytes that are printed at once.
const CHUNK: usize = 64 << 10;

pub(super) fn query(settings: &QuerySettings, env: &Env) -> Result<Exit, Failure> {
    let printer = Printer::new(settings.talk.verbosity, env);
    let index = settings.index.as_deref();
    printer.progress_start("reading the audit log");
    let page = audit::query(&settings.dir, index, &settings.filter, settings.limit);
    printer.progress_stop();
    let page = page.map_err(unreadable)?;
    match settings.talk.format {
        Format::Json => printer.json(records_json(&page).as_json())?,
        Format::Text => printer.text(&records_text(&page, printer.width()))?,
    }
    if let Some(next) = page.next.filter(|_| settings.talk.format == Format::Text) {
        printer.note(&format!("there are more: `--after {next}` shows them"));
    }
    Ok(Exit::Ok)
}

pub(super) fn export(settings: &ExportSettings, env: &Env) -> Result<Exit, Failure> {
    let printer = Printer::new(Verbosity::Normal, env);
    let mut text = match settings.form {
        ExportForm::Jsonl => String::new(),
        ExportForm::Csv => format!("{}\r\n", csv_header()),
    };
    let mut printed: Result<(), OutputError> = Ok(());
    for_each(&settings.dir, &settings.filter, &mut |record| {
        match settings.form {
            ExportForm::Jsonl => text.extend([record.as_str(), "\n"]),
            ExportForm::Csv => text.extend([&csv_row(record), "\r\n"]),
        }
        if text.len() >= CHUNK && printed.is_ok() {
            printed = printer.exact(text.as_bytes());
            text.clear();
        }
        Ok(printed.is_ok())
    })
    .map_err(unreadable)?;
    printed?;
    printer.exact(text.as_bytes())?;
    Ok(Exit::Ok)
}
