//! Formats findings about skills for people, for programs, for code scanning and for GitHub
//! Actions.
use std::path::PathBuf;

use overt_documents::skill::check::{Profile, Report, Rule, Violation};
use overt_policy::Severity;
use overt_policy::word::StringEnum;
use overt_wire::json::{Array, JsonBuf, Object};

use super::safe::{lines, one_line};
use super::style::{DANGER, DIM, NAME, PLAIN, WARNING, paint};
use super::table::{Cell, Table};

/// A skill that was checked.
#[derive(Debug)]
pub(crate) struct CheckedSkill {
    /// The path of its main file.
    pub(crate) path: PathBuf,
    /// The readers that judge it.
    pub(crate) profiles: Vec<Profile>,
    pub(crate) report: Report,
    /// The rules whose violations were corrected before.
    pub(crate) fixed: Vec<Rule>,
}

/// Number of skills up to which skills without findings are listed too.
const MOST_GOOD: usize = 40;

impl CheckedSkill {
    /// The worst severity for any reader, if it is worse than a note.
    pub(crate) fn worst(&self) -> Option<Severity> {
        let worst = self.profiles.iter().filter_map(|profile| self.report.worst(*profile)).max();
        worst.filter(|worst| *worst > Severity::Note)
    }

    /// The violations that matter to at least one reader, each with its worst severity.
    fn found(&self) -> impl Iterator<Item = (&Violation, Severity)> {
        let all = self.report.violations.iter();
        all.filter_map(|violation| Some((violation, violation.severity(&self.profiles)?)))
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }
}

fn word(severity: Option<Severity>) -> &'static str {
    match severity {
        Some(Severity::Error) => "fail",
        Some(Severity::Warning) => "warn",
        Some(Severity::Note) | None => "pass",
    }
}

fn message(violation: &Violation) -> String {
    let field = violation.field().map(|field| format!("{field}: ")).unwrap_or_default();
    let fix = if violation.fix.is_empty() { String::new() } else { format!("; {}", violation.fix) };
    format!("{field}{}{fix}", violation.problem)
}

// === for people ===

pub(crate) fn skills_text(skills: &[CheckedSkill], width: Option<usize>) -> String {
    let mut header = vec!["skill"];
    header.extend(Profile::ALL.iter().map(|profile| profile.as_str()));
    let mut table = Table::new(header);
    for skill in skills.iter().filter(|skill| skills.len() <= MOST_GOOD || skill.worst().is_some()) {
        let directory = skill.path.parent().unwrap_or(&skill.path).display().to_string();
        let mut row = vec![Cell::new(one_line(&directory), NAME)];
        row.extend(Profile::ALL.iter().map(|profile| {
            if !skill.profiles.contains(profile) {
                return Cell::new("-".to_owned(), DIM);
            }
            let worst = skill.report.worst(*profile);
            let style = match worst {
                Some(Severity::Error) => DANGER,
                Some(Severity::Warning) => WARNING,
                _ => PLAIN,
            };
            Cell::new(word(worst).to_owned(), style)
        }));
        table.row(row);
    }
    let mut out = table.render(width);
    for skill in skills {
        for (violation, severity) in skill.found() {
            out.push_str(&finding_text(skill, violation, severity));
        }
        if skill.report.more > 0 {
            out.push_str(&format!("{}: and {} more\n", one_line(&skill.name()), skill.report.more));
        }
        for rule in &skill.fixed {
            out.push_str(&format!("{}: corrected [{}]\n", one_line(&skill.name()), rule.id()));
        }
    }
    out
}

fn finding_text(skill: &CheckedSkill, violation: &Violation, severity: Severity) -> String {
    let style = match severity {
        Severity::Error => DANGER,
        Severity::Warning => WARNING,
        Severity::Note => DIM,
    };
    let place = format!("{}:{}:{}", skill.name(), violation.place.line, violation.place.column);
    let readers: Vec<&str> = violation.profiles(&skill.profiles).map(StringEnum::as_str).collect();
    format!(
        "{}: {} {} {}\n",
        one_line(&place),
        paint(style, format!("{}[{}]", severity.as_str(), violation.rule.id())),
        one_line(&message(violation)),
        paint(DIM, format!("({})", readers.join(", ")))
    )
}

// === for programs ===

pub(crate) fn skills_json(skills: &[CheckedSkill]) -> JsonBuf {
    let entry = |skill: &CheckedSkill| {
        let profiles = skill.profiles.iter().fold(Object::new(), |object, profile| {
            object.string(profile.as_str(), word(skill.report.worst(*profile)))
        });
        let findings = skill.found().map(|(violation, severity)| {
            let readers = violation.profiles(&skill.profiles).fold(Object::new(), |object, profile| {
                let severity = violation.rule.severity(profile).map_or("", Severity::as_str);
                object.string(profile.as_str(), severity)
            });
            Object::new()
                .string("rule", violation.rule.id())
                .string("severity", severity.as_str())
                .json("profiles", readers.finish().as_json())
                .string("at", violation.at.as_str())
                .value("line", &violation.place.line)
                .value("column", &violation.place.column)
                .string("problem", &violation.problem)
                .string("fix", &violation.fix)
                .value("fixable", &violation.edit.is_some())
                .finish()
        });
        let fixed: Vec<&str> = skill.fixed.iter().map(|rule| rule.id()).collect();
        Object::new()
            .string("path", &skill.name())
            .json("profiles", profiles.finish().as_json())
            .json("findings", list(findings).as_json())
            .value("more", &skill.report.more)
            .value("fixed", &fixed)
            .finish()
    };
    Object::new().json("skills", list(skills.iter().map(entry)).as_json()).finish()
}

fn list(entries: impl Iterator<Item = JsonBuf>) -> JsonBuf {
    entries.fold(Array::new(), |array, entry| array.json(entry.as_json())).finish()
}

// === for code scanning ===

pub(crate) fn skills_sarif(skills: &[CheckedSkill]) -> JsonBuf {
    let rules = Rule::ALL.iter().map(|rule| {
        let summary = Object::new().string("text", rule.summary()).finish();
        Object::new().string("id", rule.id()).json("shortDescription", summary.as_json()).finish()
    });
    let driver = Object::new()
        .string("name", "overt")
        .string("version", env!("CARGO_PKG_VERSION"))
        .json("rules", list(rules).as_json())
        .finish();
    let results = skills.iter().flat_map(|skill| skill.found().map(move |found| result(skill, found)));
    let run = Object::new()
        .json("tool", Object::new().json("driver", driver.as_json()).finish().as_json())
        .json("results", list(results).as_json())
        .finish();
    Object::new()
        .string("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
        .string("version", "2.1.0")
        .json("runs", list([run].into_iter()).as_json())
        .finish()
}

fn result(skill: &CheckedSkill, (violation, severity): (&Violation, Severity)) -> JsonBuf {
    let region = Object::new()
        .value("startLine", &violation.place.line)
        .value("startColumn", &violation.place.column)
        .finish();
    let uri: String = url_path(&skill.name());
    let artifact = Object::new().string("uri", &uri).finish();
    let physical =
        Object::new().json("artifactLocation", artifact.as_json()).json("region", region.as_json()).finish();
    let location = Object::new().json("physicalLocation", physical.as_json()).finish();
    let text = Object::new().string("text", &message(violation)).finish();
    Object::new()
        .string("ruleId", violation.rule.id())
        .string("level", severity.as_str())
        .json("message", text.as_json())
        .json("locations", list([location].into_iter()).as_json())
        .finish()
}

/// A path as a relative URI.
fn url_path(path: &str) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    path.bytes().fold(String::new(), |mut out, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(byte.into());
            }
            byte => out.push_str(&format!("%{byte:02X}")),
        }
        out
    })
}

// === for GitHub Actions ===

pub(crate) fn skills_github(skills: &[CheckedSkill]) -> String {
    let mut out = String::new();
    for skill in skills {
        for (violation, severity) in skill.found() {
            let command = match severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "notice",
            };
            let name = one_line(&skill.name());
            let file = property(name.strip_prefix("./").unwrap_or(&name));
            let (line, column) = (violation.place.line, violation.place.column);
            let title = property(violation.rule.id());
            let text = data(&lines(&message(violation)));
            out.push_str(&format!(
                "::{command} file={file},line={line},col={column},title={title}::{text}\n"
            ));
        }
    }
    out
}

/// Escapes line breaks: a line break would end the command, and the rest could be read as another
/// one.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
