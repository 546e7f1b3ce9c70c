//! Formats findings about skills for people, for programs, for code scanning and for GitHub
//! Actions.
use std::path::PathBuf;

use overt_documents::skill::check::{Profile, Report, Rule, Violation};
use overt_policy::Severity;
use overt_policy::word::StringEnum;
use overt_wire::json::JsonBuf;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::report::to_json;
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

/// The answer of `overt skill check`.
#[derive(Debug, Serialize)]
pub(crate) struct SkillsReport<'a> {
    skills: Vec<SkillData<'a>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct SkillData<'a> {
    path: String,
    profiles: ByProfile,
    findings: Vec<ViolationData<'a>>,
    more: usize,
    fixed: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
struct ViolationData<'a> {
    rule: &'static str,
    severity: &'static str,
    profiles: ByProfile,
    at: &'a str,
    line: usize,
    column: usize,
    problem: &'a str,
    fix: &'a str,
    fixable: bool,
}

/// A word for each reader.
#[derive(Debug)]
struct ByProfile(Vec<(Profile, &'static str)>);

impl<'a> SkillsReport<'a> {
    pub(crate) fn new(skills: &'a [CheckedSkill]) -> Self {
        Self { skills: skills.iter().map(SkillData::of).collect() }
    }
}

impl<'a> SkillData<'a> {
    pub(super) fn of(skill: &'a CheckedSkill) -> Self {
        let profiles = skill.profiles.iter().map(|profile| (*profile, word(skill.report.worst(*profile))));
        let finding = |(violation, severity): (&'a Violation, Severity)| {
            let word = |profile| (profile, violation.rule.severity(profile).map_or("", Severity::as_str));
            ViolationData {
                rule: violation.rule.id(),
                severity: severity.as_str(),
                profiles: ByProfile(violation.profiles(&skill.profiles).map(word).collect()),
                at: violation.at.as_str(),
                line: violation.place.line,
                column: violation.place.column,
                problem: &violation.problem,
                fix: &violation.fix,
                fixable: violation.edit.is_some(),
            }
        };
        Self {
            path: skill.name(),
            profiles: ByProfile(profiles.collect()),
            findings: skill.found().map(finding).collect(),
            more: skill.report.more,
            fixed: skill.fixed.iter().map(|rule| rule.id()).collect(),
        }
    }
}

impl Serialize for ByProfile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(profile, word)| (profile.as_str(), word)))
    }
}

// === for code scanning ===

/// The same findings in the format SARIF.
pub(crate) fn skills_sarif(skills: &[CheckedSkill]) -> JsonBuf {
    let rules = Rule::ALL.iter();
    let rules: Vec<Value> = rules
        .map(|rule| json!({ "id": rule.id(), "shortDescription": { "text": rule.summary() } }))
        .collect();
    let results: Vec<Value> =
        skills.iter().flat_map(|skill| skill.found().map(move |found| result(skill, found))).collect();
    let driver = json!({ "name": "overt", "version": env!("CARGO_PKG_VERSION"), "rules": rules });
    to_json(&json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "results": results }],
    }))
}

fn result(skill: &CheckedSkill, (violation, severity): (&Violation, Severity)) -> Value {
    let region = json!({ "startLine": violation.place.line, "startColumn": violation.place.column });
    let place = json!({ "artifactLocation": { "uri": url_path(&skill.name()) }, "region": region });
    json!({
        "ruleId": violation.rule.id(),
        "level": severity.as_str(),
        "message": { "text": message(violation) },
        "locations": [{ "physicalLocation": place }],
    })
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
