//! A TOML file as JSON values, with the line of each, so that a finding about it names a line.
use std::collections::HashMap;

use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::finding::{Finding, Findings, Pointer, Severity};

/// A file that is TOML; nobody has looked yet at what it says.
#[derive(Debug)]
pub struct TomlFile {
    pub value: Value,
    pub places: Places,
    /// What JSON can't hold.
    pub findings: Findings,
}

/// Why a file can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    #[error("line {line}: {message}")]
    Toml { line: usize, message: String },
    #[error("{}", findings.iter().map(|(line, finding)| located(*line, finding)).collect::<Vec<_>>().join("\n"))]
    Wrong { findings: Vec<(Option<usize>, Finding)> },
    #[error("it has {size} bytes; at most {most} are read")]
    TooLarge { size: usize, most: usize },
}

/// More than any server needs.
pub const MOST_BYTES: usize = 4 << 20;

/// A finding as people read it.
pub fn located(line: Option<usize>, finding: &Finding) -> String {
    let severity = match finding.severity {
        Severity::Error => String::new(),
        other => format!("{}: ", other.as_str()),
    };
    match line {
        Some(line) => format!("line {line}: {severity}{finding}"),
        None => format!("{severity}{finding}"),
    }
}

/// In which line each value begins, by its place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places(HashMap<Pointer, usize>);

impl TomlFile {
    pub fn parse(text: &str) -> Result<Self, FileError> {
        if text.len() > MOST_BYTES {
            return Err(FileError::TooLarge { size: text.len(), most: MOST_BYTES });
        }
        let table = DeTable::parse(text).map_err(|error| {
            let end = error.span().map_or(0, |span| span.start);
            let line = text.get(..end).unwrap_or_default().bytes().filter(|byte| *byte == b'\n').count() + 1;
            FileError::Toml { line, message: error.message().replace('\n', ", ") }
        })?;
        let (value, places, findings) = to_json(text, table.get_ref());
        Ok(Self { value, places, findings })
    }
}

impl Places {
    /// The findings with the line of each.
    pub fn locate(&self, findings: Findings) -> Vec<(Option<usize>, Finding)> {
        findings.into_iter().map(|finding| (self.line(&finding.at), finding)).collect()
    }

    /// The line of a value, or of the nearest thing around it that has one.
    pub fn line(&self, at: &Pointer) -> Option<usize> {
        let mut at = at.clone();
        loop {
            if let Some(line) = self.0.get(&at) {
                return Some(*line);
            }
            at = at.parent()?;
        }
    }
}

/// The same as JSON. Dates become text; a number that JSON doesn't have is a finding.
fn to_json(text: &str, table: &DeTable<'_>) -> (Value, Places, Findings) {
    let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect();
    let mut reader = Reader { line_ends: starts, places: Places::default(), findings: Findings::default() };
    let value = reader.table(table, &Pointer::root());
    (value, reader.places, reader.findings)
}

struct Reader {
    /// Where each line ends, so that the line of a value is found without reading the text again.
    line_ends: Vec<usize>,
    places: Places,
    findings: Findings,
}

impl Reader {
    fn table(&mut self, table: &DeTable<'_>, at: &Pointer) -> Value {
        let members = table.iter().map(|(name, value)| {
            let name = name.get_ref().to_string();
            let value = self.value(value, &at.join(&name));
            (name, value)
        });
        Value::Object(members.collect::<Map<_, _>>())
    }

    fn value(&mut self, value: &Spanned<DeValue<'_>>, at: &Pointer) -> Value {
        let start = value.span().start;
        self.places.0.insert(at.clone(), self.line_ends.partition_point(|end| *end < start) + 1);
        match value.get_ref() {
            DeValue::String(text) => Value::String(text.to_string()),
            DeValue::Boolean(flag) => Value::Bool(*flag),
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
                .map_or_else(|_| Value::String(number.to_string()), Value::from),
            DeValue::Float(number) => {
                let text = number.as_str().replace('_', "");
                let number = text.parse().ok().and_then(Number::from_f64);
                if number.is_none() {
                    let fix = "write a number that JSON has, or leave it out";
                    self.findings.error(at.clone(), "is no number that JSON has", fix);
                }
                number.map_or(Value::Null, Value::Number)
            }
            DeValue::Datetime(moment) => Value::String(moment.to_string()),
            DeValue::Array(items) => Value::Array(
                items.iter().enumerate().map(|(index, item)| self.value(item, &at.index(index))).collect(),
            ),
            DeValue::Table(table) => self.table(table, at),
        }
    }
}
