//! Lines that several sections contain.
use crate::markdown::{LINE, code};
use crate::text_source::TextSource;
use overt_policy::record::KnownError;

/// Returns `` `CODE` — description. resolution ``.
pub(super) fn error_line(error: &KnownError, source: TextSource) -> String {
    let [description, resolution] =
        [&error.description, &error.resolution].map(|text| source.line(text, LINE));
    format!("{} — {}. {resolution}", code(&error.code), description.trim_end_matches('.'))
}

/// Returns a list with one item per line.
pub(super) fn bullets(lines: &[String]) -> String {
    lines.iter().map(|line| format!("- {line}\n")).collect()
}
