//! `overt audit verify`: how far a log is intact.
use std::time::{Duration, Instant};

use overt_state::audit::{self, AuditError, PublicKey, TrustAnchors, read_anchors};

use super::unreadable::unreadable;
use crate::args::{Format, VerifyArgs};
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::output::{LogDetail, LogReport, LogsReport, ProgressReport, report_text, reports_text};
use crate::settings::{Verbosity, named_key, verified_logs};

/// The shortest time between two progress updates.
const SHOW: Duration = Duration::from_millis(100);

pub(super) fn verify(args: &VerifyArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let (logs, removed) = verified_logs(args, &context.env)?;
    let named = named_key(args)?;
    let CommandContext { output, printer, .. } = context;
    let mut anchors = Vec::new();
    for path in &args.anchor {
        anchors.extend(read_anchors(path).map_err(unreadable)?);
    }
    let key = match (named, context.state()) {
        (Some(key), _) => Some(key),
        (None, Ok(state)) => PublicKey::find(state.path()).map_err(unreadable)?,
        // Without a state folder this machine has no key.
        (None, Err(_)) => None,
    };
    printer.progress_start("checking the audit log");
    let mut shown = Instant::now();
    let mut progress = |done: u64, total: u64| {
        if shown.elapsed() >= SHOW {
            shown = Instant::now();
            printer.progress(&ProgressReport { progress: mib(done), total: Some(mib(total)), message: None });
        }
    };
    let against = TrustAnchors { anchors, key };
    let mut reports = Vec::new();
    for log in &logs {
        let report = match audit::verify(&log.dir, &against, &mut progress) {
            // If several logs are checked, an empty one is a finding and not a failure.
            Err(error @ AuditError::Empty(_)) if logs.len() + removed.len() > 1 => {
                Ok(audit::Report::empty(&error))
            }
            report => report,
        };
        if report.is_err() {
            printer.progress_stop();
        }
        reports.push((log.name.as_str(), report.map_err(unreadable)?));
    }
    printer.progress_stop();
    reports.extend(removed.iter().map(|log| (log.name.as_str(), audit::Report::removed(log))));
    match (output.format, reports.as_slice()) {
        (Format::Json, [(_, report)]) => printer.data(&LogReport::new(report))?,
        (Format::Json, reports) => printer.data(&LogsReport::new(reports))?,
        (Format::Text, [(_, report)]) => printer.text(&report_text(report))?,
        (Format::Text, reports) => {
            let detail = match output.verbosity >= Verbosity::Verbose {
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

/// Converts to whole mebibytes, which are precise enough for a progress bar.
fn mib(bytes: u64) -> f64 {
    f64::from(u32::try_from(bytes >> 20).unwrap_or(u32::MAX))
}
