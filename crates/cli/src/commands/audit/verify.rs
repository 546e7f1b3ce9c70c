//! How far a log holds.
use std::time::{Duration, Instant};

use overt_state::audit::{self, AuditError, PublicKey, TrustAnchors, read_anchors};

use super::unreadable::unreadable;
use crate::args::Format;
use crate::failure::{Exit, Failure};
use crate::output::{LogDetail, Printer, Report, report_json, report_text, reports_json, reports_text};
use crate::settings::{Env, KeyChoice, Verbosity, VerifySettings};

/// How often the progress is shown.
const SHOW: Duration = Duration::from_millis(100);

pub(super) fn verify(settings: &VerifySettings, env: &Env) -> Result<Exit, Failure> {
    let printer = Printer::new(settings.output.verbosity, env);
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
    let against = TrustAnchors { anchors, key };
    let mut reports = Vec::new();
    for log in &settings.logs {
        let report = match audit::verify(&log.dir, &against, &mut progress) {
            // One log of several without records is a finding about it.
            Err(error @ AuditError::Empty(_)) if settings.logs.len() > 1 => Ok(audit::Report::empty(&error)),
            report => report,
        };
        if report.is_err() {
            printer.progress_stop();
        }
        reports.push((log.name.as_str(), report.map_err(unreadable)?));
    }
    printer.progress_stop();
    match (settings.output.format, reports.as_slice()) {
        (Format::Json, [(_, report)]) => printer.json(report_json(report).finish().as_json())?,
        (Format::Json, reports) => printer.json(reports_json(reports).as_json())?,
        (Format::Text, [(_, report)]) => printer.text(&report_text(report))?,
        (Format::Text, reports) => {
            let detail = match settings.output.verbosity >= Verbosity::Verbose {
                true => LogDetail::All,
                false => LogDetail::Suspicious,
            };
            printer.text(&reports_text(reports, detail))?;
        }
    }
    let any = |is_so: fn(&audit::Report) -> bool| reports.iter().any(|(_, report)| is_so(report));
    Ok(match () {
        () if any(|report| report.broken.is_some()) => Exit::Findings,
        () if any(audit::Report::lacks_its_end) => Exit::Unfinished,
        () => Exit::Ok,
    })
}

/// Whole mebibytes are enough for a bar.
fn mib(bytes: u64) -> f64 {
    f64::from(u32::try_from(bytes >> 20).unwrap_or(u32::MAX))
}
