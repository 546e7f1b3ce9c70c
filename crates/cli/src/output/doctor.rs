//! Formats the findings of `overt doctor`, as text and as JSON.
use std::path::Path;

use serde::Serialize;

use super::report::Report;
use super::safe::one_line;
use super::style::{DANGER, DIM, NAME, TITLE, WARNING, paint};

/// The answer of `overt doctor`.
#[derive(Debug, Serialize)]
pub(crate) struct DoctorReport {
    ok: bool,
    sections: Vec<Section>,
}

/// Findings about one subject: a file, or a part of Overt.
#[derive(Debug, Serialize)]
pub(crate) struct Section {
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    pub(crate) lines: Vec<Line>,
}

/// The result of one check.
#[derive(Debug, Serialize)]
pub(crate) struct Line {
    name: String,
    #[serde(rename = "state")]
    pub(crate) health: Health,
    pub(crate) text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Health {
    Ok,
    /// Worth knowing.
    Note,
    Wrong,
}

impl Section {
    pub(crate) fn new(title: &str, path: Option<&Path>) -> Self {
        Self {
            title: title.to_owned(),
            path: path.map(|path| path.to_string_lossy().into_owned()),
            lines: Vec::new(),
        }
    }
}

impl Line {
    pub(crate) fn new(name: &str, health: Health, text: String) -> Self {
        Self { name: name.to_owned(), health, text, advice: None }
    }

    /// Adds advice on what to do about the finding.
    pub(crate) fn with_advice(self, advice: String) -> Self {
        Self { advice: Some(advice), ..self }
    }
}

fn doctor_text(sections: &[Section]) -> String {
    let mut out = String::new();
    for section in sections {
        let path = section.path.as_ref().map(|path| format!("  {}", one_line(path)));
        let title = paint(TITLE, one_line(&section.title));
        out.push_str(&format!("{title}{}\n", path.unwrap_or_default()));
        for line in &section.lines {
            let mark = match line.health {
                Health::Ok => paint(NAME, "ok"),
                Health::Note => paint(WARNING, "!"),
                Health::Wrong => paint(DANGER, "✗"),
            };
            out.push_str(&format!("  {}  {}  {mark}\n", one_line(&line.name), one_line(&line.text)));
            if let Some(advice) = &line.advice {
                out.push_str(&format!("    {}\n", paint(DIM, format_args!("to do: {}", one_line(advice)))));
            }
        }
    }
    out
}

impl DoctorReport {
    pub(crate) fn new(sections: Vec<Section>) -> Self {
        let mut lines = sections.iter().flat_map(|section| &section.lines);
        Self { ok: lines.all(|line| line.health != Health::Wrong), sections }
    }

    pub(crate) fn is_ok(&self) -> bool {
        self.ok
    }
}

impl Report for DoctorReport {
    fn text(&self, _: Option<usize>) -> String {
        doctor_text(&self.sections)
    }
}
