//! Formats the findings of `overt doctor`, as text and as JSON.
use std::path::{Path, PathBuf};

use overt_wire::json::{Array, JsonBuf, Object};

use super::safe::one_line;
use super::style::{DANGER, DIM, NAME, TITLE, WARNING, paint};

/// Findings about one subject: a file, or a part of Overt.
#[derive(Debug)]
pub(crate) struct Section {
    title: String,
    path: Option<PathBuf>,
    pub(crate) lines: Vec<Line>,
}

/// The result of one check.
#[derive(Debug)]
pub(crate) struct Line {
    name: String,
    pub(crate) health: Health,
    pub(crate) text: String,
    advice: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Health {
    Ok,
    /// Worth knowing.
    Note,
    Wrong,
}

impl Section {
    pub(crate) fn new(title: &str, path: Option<&Path>) -> Self {
        Self { title: title.to_owned(), path: path.map(Path::to_owned), lines: Vec::new() }
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

impl Health {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Wrong => "wrong",
        }
    }
}

pub(crate) fn doctor_text(sections: &[Section]) -> String {
    let mut out = String::new();
    for section in sections {
        let path = section.path.as_ref().map(|path| format!("  {}", one_line(&path.to_string_lossy())));
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

pub(crate) fn doctor_json(sections: &[Section]) -> JsonBuf {
    let is_ok = sections.iter().flat_map(|section| &section.lines).all(|line| line.health != Health::Wrong);
    let sections = sections.iter().fold(Array::new(), |list, section| {
        let lines = section.lines.iter().fold(Array::new(), |list, line| {
            let object = Object::new()
                .string("name", &line.name)
                .string("state", line.health.word())
                .string("text", &line.text)
                .maybe("advice", line.advice.as_deref());
            list.json(object.finish().as_json())
        });
        let object = Object::new()
            .string("title", &section.title)
            .maybe("path", section.path.as_ref().map(|path| path.to_string_lossy()))
            .json("lines", lines.finish().as_json());
        list.json(object.finish().as_json())
    });
    Object::new().value("ok", &is_ok).json("sections", sections.finish().as_json()).finish()
}
