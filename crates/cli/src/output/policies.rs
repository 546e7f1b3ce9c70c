//! Formats the findings about files of policies and rules.
use overt_policy::{Finding, Severity};
use overt_wire::text::Untrusted;
use serde::Serialize;

use super::finding::{FindingData, finding_line};
use super::report::Report;
use super::style::{DANGER, NAME, WARNING, paint};

/// A file that was checked.
#[derive(Debug)]
pub(crate) struct CheckedFile {
    pub(crate) path: String,
    /// The findings, each with its line where that is known.
    pub(crate) findings: Vec<(Option<usize>, Finding)>,
}

impl CheckedFile {
    pub(crate) fn has_errors(&self) -> bool {
        self.findings.iter().any(|(_, finding)| finding.severity == Severity::Error)
    }
}

fn files_text(files: &[CheckedFile]) -> String {
    let mut out = String::new();
    for file in files {
        let state = match (file.has_errors(), file.findings.is_empty()) {
            (true, _) => paint(DANGER, "can't be used".to_owned()),
            (false, false) => paint(WARNING, "can be used, but look at it".to_owned()),
            (false, true) => "good".to_owned(),
        };
        out.push_str(&format!("{}: {state}\n", paint(NAME, Untrusted(&file.path))));
        for (line, finding) in &file.findings {
            let place = line.map_or_else(String::new, |line| format!("line {line}: "));
            out.push_str(&finding_line(finding.severity, &format!("{place}{finding}")));
        }
    }
    out
}

/// The answer of `overt policy check`.
#[derive(Debug, Serialize)]
pub(crate) struct FilesReport<'a> {
    files: Vec<CheckedFileData<'a>>,
    #[serde(skip)]
    checked: &'a [CheckedFile],
}

#[derive(Debug, Serialize)]
struct CheckedFileData<'a> {
    file: &'a str,
    ok: bool,
    findings: Vec<FindingData<'a>>,
}

impl<'a> FilesReport<'a> {
    pub(crate) fn new(checked: &'a [CheckedFile]) -> Self {
        let files = checked.iter().map(|file| CheckedFileData {
            file: &file.path,
            ok: !file.has_errors(),
            findings: file.findings.iter().map(|(line, said)| FindingData::at_line(*line, said)).collect(),
        });
        Self { files: files.collect(), checked }
    }

    /// How many files can be used.
    pub(crate) fn good(&self) -> usize {
        self.files.iter().filter(|file| file.ok).count()
    }
}

impl Report for FilesReport<'_> {
    fn text(&self, _: Option<usize>) -> String {
        files_text(self.checked)
    }

    fn remark(&self) -> Option<String> {
        let (good, all) = (self.good(), self.files.len());
        Some(format!("{good} of {all} {} can be used", if all == 1 { "file" } else { "files" }))
    }
}
