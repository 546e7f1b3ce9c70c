//! Reads a TOML file as JSON values with the position of each, so that a finding can name its line.
use std::collections::HashMap;

use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use overt_policy::finding::{Finding, Findings, Pointer, Severity};

/// A file that is valid TOML. Its content is not checked yet.
#[derive(Debug)]
pub struct TomlFile {
    pub value: Value,
    pub places: ValuePositions,
    /// Values that JSON can't represent.
    pub findings: Findings,
}

/// Why a file was rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    #[error("line {}: {message}", place.line)]
    Toml { place: LineColumn, message: String },
    #[error("{}", findings.iter().map(|(line, finding)| located(*line, finding)).collect::<Vec<_>>().join("\n"))]
    Wrong { findings: Vec<(Option<usize>, Finding)> },
    #[error("it has {size} bytes; at most {most} are read")]
    TooLarge { size: usize, most: usize },
}

/// The largest file that is read; more than any server needs.
pub const MOST_BYTES: usize = 4 << 20;

/// Formats a finding for people.
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

/// A position in a text. Line and column are counted from 1; a column is a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    pub line: usize,
    pub column: usize,
}

impl LineColumn {
    /// Returns the position of this byte, or of the end if there is no such byte.
    fn of(text: &str, at: usize) -> Self {
        let before = &text[..text.floor_char_boundary(at)];
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        Self { line, column: before[start..].chars().count() + 1 }
    }
}

/// The positions where values begin, by their pointers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ValuePositions(HashMap<Pointer, LineColumn>);

impl TomlFile {
    pub fn parse(text: &str) -> Result<Self, FileError> {
        if text.len() > MOST_BYTES {
            return Err(FileError::TooLarge { size: text.len(), most: MOST_BYTES });
        }
        let table = DeTable::parse(text).map_err(|error| {
            let place = LineColumn::of(text, error.span().map_or(0, |span| span.start));
            FileError::Toml { place, message: error.message().replace('\n', ", ") }
        })?;
        let (value, places, findings) = to_json(text, table.get_ref());
        Ok(Self { value, places, findings })
    }
}

impl ValuePositions {
    /// Adds the line to each finding.
    pub fn locate(&self, findings: Findings) -> Vec<(Option<usize>, Finding)> {
        findings.into_iter().map(|finding| (self.line(&finding.at), finding)).collect()
    }

    /// Returns the line of a value, or of the nearest enclosing value that has one.
    pub fn line(&self, at: &Pointer) -> Option<usize> {
        self.place(at).map(|place| place.line)
    }

    /// Returns where a value begins, or where the nearest enclosing value with a position does.
    pub fn place(&self, at: &Pointer) -> Option<LineColumn> {
        let mut at = at.clone();
        loop {
            if let Some(place) = self.0.get(&at) {
                return Some(*place);
            }
            at = at.parent()?;
        }
    }
}

/// Converts the table to JSON. Dates become strings; a number that JSON can't represent is a
/// finding.
fn to_json(text: &str, table: &DeTable<'_>) -> (Value, ValuePositions, Findings) {
    let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect();
    let (places, findings) = (ValuePositions::default(), Findings::default());
    let mut reader = Reader { text, line_ends: starts, places, findings };
    let value = reader.table(table, &Pointer::root());
    (value, reader.places, reader.findings)
}

struct Reader<'a> {
    text: &'a str,
    /// The end of each line, so that the position of a value is found without reading the text
    /// again.
    line_ends: Vec<usize>,
    places: ValuePositions,
    findings: Findings,
}

impl Reader<'_> {
    fn table(&mut self, table: &DeTable<'_>, at: &Pointer) -> Value {
        let members = table.iter().map(|(name, value)| {
            let name = name.get_ref().to_string();
            let value = self.value(value, &at.join(&name));
            (name, value)
        });
        Value::Object(members.collect::<Map<_, _>>())
    }

    fn place(&self, at: usize) -> LineColumn {
        let line = self.line_ends.partition_point(|end| *end < at);
        let start = line.checked_sub(1).map_or(0, |last| self.line_ends[last] + 1);
        let before = self.text.get(start..at).unwrap_or_default();
        LineColumn { line: line + 1, column: before.chars().count() + 1 }
    }

    fn value(&mut self, value: &Spanned<DeValue<'_>>, at: &Pointer) -> Value {
        let start = value.span().start;
        let place = self.place(start);
        self.places.0.insert(at.clone(), place);
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
                    self.findings.error(at.clone(), "is not a number that JSON has", fix);
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
