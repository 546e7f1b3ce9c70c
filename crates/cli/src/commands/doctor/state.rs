//! Checks the state folder: the audit logs, the decisions in overt.toml, the backups.
use std::path::{Path, PathBuf};

use overt_state::audit::{self, AuditError, PublicKey, TrustAnchors};

use crate::output::{Health, Line, Section};
use crate::settings::DoctorSettings;
use crate::wrap_records::WrapRecords;

/// Larger logs are not checked: `overt audit verify` would take longer than a person waits here.
const MOST_BYTES: u64 = 64 << 20;

pub(super) fn check(settings: &DoctorSettings) -> Section {
    let mut section = Section::new("State", Some(settings.state.path()));
    let folder = settings.state.path().join("audit");
    let mut logs: Vec<PathBuf> = std::fs::read_dir(&folder)
        .map(|entries| entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect())
        .unwrap_or_default();
    logs.sort();
    if logs.is_empty() {
        section.lines.push(Line::new("audit log", Health::Ok, "has no records yet".to_owned()));
    }
    for log in &logs {
        section.lines.push(audit_log(log, settings));
    }
    section.lines.push(match settings.trust_file.decisions() {
        Ok(decisions) => Line::new(
            "overt.toml",
            Health::Ok,
            match decisions.len() {
                1 => "has 1 decision about a server".to_owned(),
                count => format!("has {count} decisions about servers"),
            },
        ),
        Err(error) => Line::new("overt.toml", Health::Wrong, error.to_string())
            .with_advice("correct it; until then every server asks how far you trust it".to_owned()),
    });
    let backups = WrapRecords::new(settings.state.path()).backups();
    section.lines.push(Line::new("backups", Health::Ok, format!("{backups} kept")));
    section
}

fn audit_log(log: &Path, settings: &DoctorSettings) -> Line {
    let name = format!("audit log {}", log.file_name().unwrap_or_default().to_string_lossy());
    let advice = || "overt audit verify shows the place".to_owned();
    if bytes(log) > MOST_BYTES {
        return Line::new(&name, Health::Note, "is too large to be checked here".to_owned())
            .with_advice("overt audit verify".to_owned());
    }
    let key = PublicKey::find(settings.state.path()).ok().flatten();
    let against = TrustAnchors { anchors: Vec::new(), key };
    match audit::verify(log, &against, &mut |_, _| {}) {
        Err(AuditError::Empty(_)) => Line::new(&name, Health::Ok, "has no records yet".to_owned()),
        Err(error) => Line::new(&name, Health::Wrong, error.to_string()).with_advice(advice()),
        Ok(report) => match &report.broken {
            Some(_) => Line::new(&name, Health::Wrong, "is broken".to_owned()).with_advice(advice()),
            None if report.lacks_its_end() => {
                let text = format!("{} records are intact; it has no end, as after a crash", report.records);
                Line::new(&name, Health::Note, text).with_advice(advice())
            }
            None => Line::new(&name, Health::Ok, format!("{} records, all are intact", report.records)),
        },
    }
}

fn bytes(folder: &Path) -> u64 {
    let sizes = |entries: std::fs::ReadDir| {
        entries.flatten().filter_map(|entry| entry.metadata().ok()).map(|meta| meta.len()).sum()
    };
    std::fs::read_dir(folder).map_or(0, sizes)
}
