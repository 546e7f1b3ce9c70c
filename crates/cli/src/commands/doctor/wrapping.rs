//! Checks that everything that was wrapped is still wrapped, in every file that was ever wrapped.
use crate::lost_wrapping::find_lost;
use crate::output::{Health, Line, Section};
use crate::settings::{DoctorSettings, Env};
use crate::wrap_records::WrapRecords;

/// Returns no section if nothing was ever wrapped.
pub(super) fn check(settings: &DoctorSettings, env: &Env) -> Option<Section> {
    let records = WrapRecords::new(settings.state.path());
    let wrapped: usize = records.all().iter().map(|(_, record)| record.entries.len()).sum();
    if wrapped == 0 {
        return None;
    }
    let mut section = Section::new("Wrapping", None);
    for lost in find_lost(&records, env) {
        let text = format!("{} ({})", lost.problem(), lost.file.display());
        section.lines.push(Line::new(lost.name(), Health::Wrong, text).with_advice(lost.advice()));
    }
    if section.lines.is_empty() {
        let text = match wrapped {
            1 => "1 entry was wrapped, and still is".to_owned(),
            count => format!("{count} entries were wrapped, and none lost it"),
        };
        section.lines.push(Line::new("entries", Health::Ok, text));
    }
    Some(section)
}
