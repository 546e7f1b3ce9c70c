//! How far a log holds.
use std::time::{Duration, Instant};

use overt_state::audit::{self, Against, PublicKey, read_anchors};

use super::task::unreadable;
use crate::args::Format;
use crate::failure::{Exit, Failure};
use crate::output::{Printer, Report, report_json, report_text};
use crate::settings::{Env, KeyChoice, VerifySettings};

/// How often the progress is shown.
const SHOW: Duration = Duration::from_millis(100);

pub(super) fn verify(settings: &VerifySettings, env: &Env) -> Result<Exit, Failure> {
    let printer = Printer::new(settings.talk.verbosity, env);
    let mut anchors = Vec::new();
    for path in &settings.anchors {
        anchors.extend(read_anchors(path).map_err(unreadable)?);
    }
    let key = match &settings.key {
        KeyChoice::Given(key) => Some(key.clone()),
        KeyChoice::Here(folder) => PublicKey::find(folder).map_err(unreadable)?,
        KeyChoice::None => None,
    };
    printer.progress_start("checking the audit log");
    let mut shown = Instant::now();
    let mut progress = |done: u64, total: u64| {
        if shown.elapsed() >= SHOW {
            shown = Instant::now();
            printer.progress(&Report { progress: mib(done), total: Some(mib(total)), message: None });
        }
    };
    let report = audit::verify(&settings.dir, &Against { anchors, key }, &mut progress);
    printer.progress_stop();
    let report = report.map_err(unreadable)?;
    match settings.talk.format {
        Format::Json => printer.json(report_json(&report).as_json())?,
        Format::Text => printer.text(&report_text(&report))?,
    }
    Ok(if report.broken.is_none() { Exit::Ok } else { Exit::Findings })
}

/// Whole mebibytes are enough for a bar.
fn mib(bytes: u64) -> f64 {
    f64::from(u32::try_from(bytes >> 20).unwrap_or(u32::MAX))
}
