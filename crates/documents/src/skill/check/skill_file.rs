//! Checks one skill: its SKILL.md with front matter and instructions, and its other files.
use overt_policy::finding::Pointer;
use overt_policy::word::StringEnum as _;
use serde_json::Value;

use super::checker::{Checker, START, step_into};
use super::profile::Profile;
use super::report::{Edit, Report, Violation};
use super::rule::Rule;
use super::source::Source;
use super::{body, claude, fields, files, repository};
use crate::front_matter::split;
use crate::yaml::{self, LineColumn, Style};

/// The most bytes of a SKILL.md; a larger one is not read.
pub const MOST_BYTES: usize = 1 << 20;

/// Checks a skill against the rules of every profile.
pub fn check(source: &Source<'_>) -> Report {
    check_for(source, Profile::ALL)
}

/// Checks a skill for these readers. If none of them judges the instructions, these are not looked
/// at.
pub fn check_for(source: &Source<'_>, readers: &[Profile]) -> Report {
    let mut report = Report::default();
    files::check(source, &mut report);
    if source.bytes.len() > MOST_BYTES {
        let problem = format!("has {} bytes", source.bytes.len());
        report.add_for_skill(Rule::FileUnreadable, problem, format!("at most {MOST_BYTES} are read"));
        return report;
    }
    let text = match std::str::from_utf8(source.bytes) {
        Ok(text) => text,
        Err(error) => {
            let line = source.bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
            let problem = format!("is not UTF-8: line {line} has other bytes");
            report.add_for_skill(Rule::FileUnreadable, problem, "save it as UTF-8");
            return report;
        }
    };
    let mut checker = Checker { source, report, yaml: None };
    let judges_body = |reader: &Profile| Rule::BodyEmpty.severity(*reader).is_some();
    checker.text(text, readers.iter().any(judges_body));
    checker.report
}

impl<'a> Checker<'a> {
    fn text(&mut self, text: &'a str, judges_body: bool) {
        let mut text = text;
        if let Some(rest) = text.strip_prefix('\u{FEFF}') {
            let fix = "remove it: readers of front matter do not expect it";
            self.add_edit(Rule::FileBom, Pointer::root(), "begins with a byte order mark", fix, Edit::Head);
            text = rest;
        }
        let begins = text.trim_start_matches([' ', '\t', '\r', '\n']);
        // If no second line of hyphens follows, the first one may be part of a file without front
        // matter.
        let has_front = split(begins).is_ok_and(|parts| parts.front.is_some());
        if begins.len() < text.len() && has_front {
            let fix = "remove them: readers look for the front matter on the first line";
            let problem = "has empty lines before the front matter";
            self.add_edit(Rule::FrontBlankLines, Pointer::root(), problem, fix, Edit::Head);
            text = begins;
        }
        let Ok(parts) = split(text) else {
            let problem = "has front matter that does not end";
            return self.report.add_for_skill(Rule::FrontUnclosed, problem, "write a line `---` after it");
        };
        match parts.front {
            Some(front) => self.front(front),
            None => {
                let fix = "begin the file with a line `---`, `name`, `description`, and another line `---`";
                self.report.add_for_skill(Rule::FrontMissing, "has no front matter", fix);
            }
        }
        if judges_body {
            body::check(self, parts.body, parts.body_line);
            body::check_characters(self, text);
        }
    }

    fn front(&mut self, front: &str) {
        if let Some(line) = front.lines().position(|line| line.contains("---")) {
            let fix = "write it in double quotes with `\\x2d` for the third hyphen, or say it otherwise";
            let place = LineColumn { line: line + 2, column: 1 };
            self.add_at(Rule::FrontCut, Pointer::root(), place, "has `---` in the front matter", fix);
        }
        let yaml = match yaml::read_located(front, 2) {
            Ok(yaml) => yaml,
            Err(problems) => {
                for problem in problems {
                    let place = problem.place.unwrap_or(START);
                    self.add_at(Rule::YamlSyntax, problem.at, place, problem.problem, problem.fix);
                }
                return;
            }
        };
        for (at, extent) in yaml.written(Style::Flow) {
            // A value inside another one in brackets is rewritten together with the outer one.
            let inner = at.parent().and_then(|parent| yaml.extent(&parent));
            if inner.is_some_and(|parent| parent.style == Style::Flow) {
                continue;
            }
            if *at == Pointer::root().join(claude::ARGUMENT_HINT) {
                let (start, end) = extent.chars;
                let hint = front.chars().skip(start).take(end - start).collect();
                self.report.add(Violation {
                    rule: Rule::ArgumentHintList,
                    at: at.clone(),
                    place: extent.place,
                    problem: "is a list, because it begins with a bracket".to_owned(),
                    fix: "put it in double quotes".to_owned(),
                    edit: Some(Edit::Text(hint)),
                });
                continue;
            }
            let value = at.steps().try_fold(&yaml.value, |value, step| step_into(value, &step));
            let can_be_block = value.is_some_and(|value| !is_empty(value));
            let edit = (can_be_block && extent.name_column.is_some()).then_some(Edit::Block);
            let (problem, fix) = if can_be_block {
                (
                    "is in brackets, which strict readers refuse",
                    "write it in block style, an item on each line",
                )
            } else {
                ("is empty brackets, which strict readers refuse", "leave the field out")
            };
            let violation = Violation {
                rule: Rule::YamlFlow,
                at: at.clone(),
                place: extent.place,
                problem: problem.to_owned(),
                fix: fix.to_owned(),
                edit,
            };
            self.report.add(violation);
        }
        let value = yaml.value.clone();
        self.yaml = Some(yaml);
        let Value::Object(members) = value else {
            let fix = "write `name:` and `description:`, each with its value";
            return self.report.add_for_skill(Rule::YamlMapping, "has front matter without fields", fix);
        };
        fields::check(self, &members);
        claude::check(self, &members);
        repository::check(self, &members);
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty() || items.iter().any(is_empty_collection),
        Value::Object(members) => members.is_empty() || members.values().any(is_empty_collection),
        _ => false,
    }
}

/// Returns whether the value is or contains an empty list or object, which has no block style at
/// any depth.
fn is_empty_collection(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Object(_)) && is_empty(value)
}
