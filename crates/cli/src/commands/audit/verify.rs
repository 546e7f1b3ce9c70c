//! How far logs hold.
use std::time::{Duration, Instant};

use overt_state::audit::{self, Against, PublicKey, read_anchors};

use super::task::unreadable;
use crate::args::Format;
use crate::failure::{Exit, Failure};
use crate::output::{Printer, Report, reports_json, reports_text};
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
    let against = Against { anchors, key };
    let reports: Result<Vec<_>, _> = settings
        .logs
        .iter()
        .map(|log| Ok((log.name.as_str(), audit::verify(&log.dir, &against, &mut progress)?)))
        .collect();
    printer.progress_stop();
    let reports = reports.map_err(unreadable)?;
    match settings.talk.format {
        Format::Json => printer.json(reports_json(&reports).as_json())?,
        Format::Text => printer.text(&reports_text(&reports))?,
    }
    let holds = reports.iter().all(|(_, report)| report.broken.is_none());
    Ok(if holds { Exit::Ok } else { Exit::Findings })
}

/// Whole mebibytes are enough for a bar.
fn mib(bytes: u64) -> f64 {
    f64::from(u32::try_from(bytes >> 20).unwrap_or(u32::MAX))
}
