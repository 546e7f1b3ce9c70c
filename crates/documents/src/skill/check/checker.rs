//! The state of a check: its source, and the report so far.
use overt_policy::finding::Pointer;
use serde_json::{Map, Value};

use super::report::{Edit, Report, Violation};
use super::rule::Rule;
use super::source::Source;
use crate::yaml::{LineColumn, Yaml};

/// The beginning of the file.
pub(super) const START: LineColumn = LineColumn { line: 1, column: 1 };

/// The state of a check.
pub(super) struct Checker<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) report: Report,
    /// The front matter; `None` until it was read.
    pub(super) yaml: Option<Yaml>,
}

impl Checker<'_> {
    /// Adds a violation of a field.
    pub(super) fn add(
        &mut self,
        rule: Rule,
        at: Pointer,
        problem: impl Into<String>,
        fix: impl Into<String>,
    ) {
        let place = self.place(&at);
        self.add_at(rule, at, place, problem, fix);
    }

    pub(super) fn add_at(
        &mut self,
        rule: Rule,
        at: Pointer,
        place: LineColumn,
        problem: impl Into<String>,
        fix: impl Into<String>,
    ) {
        let (problem, fix) = (problem.into(), fix.into());
        self.report.add(Violation { rule, at, place, problem, fix, edit: None });
    }

    /// Adds a violation that can be corrected without judgement.
    pub(super) fn add_edit(
        &mut self,
        rule: Rule,
        at: Pointer,
        problem: impl Into<String>,
        fix: impl Into<String>,
        edit: Edit,
    ) {
        let place = self.place(&at);
        let (problem, fix) = (problem.into(), fix.into());
        self.report.add(Violation { rule, at, place, problem, fix, edit: Some(edit) });
    }

    /// Returns the place of the value. If the value is missing, returns the place of the nearest
    /// enclosing one.
    fn place(&self, at: &Pointer) -> LineColumn {
        let mut at = Some(at.clone());
        while let Some(here) = at {
            if let Some(place) = self.yaml.as_ref().and_then(|yaml| yaml.place(&here)) {
                return place;
            }
            at = here.parent();
        }
        START
    }

    /// Returns a text in the front matter. Reports a violation of this rule if the value is not a
    /// text.
    pub(super) fn text_of<'v>(
        &mut self,
        rule: Rule,
        members: &'v Map<String, Value>,
        parent: &Pointer,
        name: &str,
    ) -> Option<&'v str> {
        match members.get(name)? {
            Value::String(text) => Some(text),
            other => {
                self.not_text(rule, parent.join(name), other);
                None
            }
        }
    }

    /// Reports that the value should be a text.
    pub(super) fn not_text(&mut self, rule: Rule, at: Pointer, value: &Value) {
        let problem = format!("is {}, not text", kind(value));
        match value {
            Value::Number(_) | Value::Bool(_) => {
                self.add_edit(rule, at, problem, "put it in double quotes", Edit::Quote);
            }
            _ => self.add(rule, at, problem, "write a text"),
        }
    }
}

/// Returns the type of a value, in words for people.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "empty",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a mapping",
    }
}

/// Returns the value at this step inside a list or an object.
pub(in crate::skill) fn step_into<'v>(value: &'v Value, step: &str) -> Option<&'v Value> {
    match value {
        Value::Object(members) => members.get(step),
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        _ => None,
    }
}
