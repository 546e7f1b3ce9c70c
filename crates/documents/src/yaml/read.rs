//! Reads YAML 1.2 into JSON values and remembers where each was. What could mean different things to different readers is
//! refused: duplicate names, anchors and aliases, tags, several documents.
use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use serde_json::{Map, Value};

use super::scalar::meaning;
use overt_policy::finding::{Findings, Pointer};
use overt_policy::members::brief;

/// No front matter needs more.
pub const MOST_BYTES: usize = 64 * 1024;
pub const MOST_DEPTH: usize = 32;
/// Bytes of a name. YAML has names of 1,024 characters at most where they stand before their value, and a character that must
/// be escaped takes up to four for each of its bytes.
pub const MOST_NAME: usize = 200;

/// What was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Yaml {
    pub value: Value,
    places: BTreeMap<Pointer, Place>,
}

/// Where a value begins, both counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

/// A list or an object that is not complete yet.
#[derive(Debug)]
enum Open {
    List(Vec<Value>),
    Object { members: Map<String, Value>, name: Option<String> },
}

/// Builds the value from the events of the parser.
#[derive(Debug)]
struct Builder {
    first_line: usize,
    open: Vec<(Pointer, Open)>,
    root: Option<Value>,
    documents: usize,
    places: BTreeMap<Pointer, Place>,
    findings: Findings,
}

/// Reads a text whose first line is line `first_line` of its file.
pub fn read(text: &str, first_line: usize) -> Result<Yaml, Findings> {
    let mut builder = Builder {
        first_line,
        open: Vec::new(),
        root: None,
        documents: 0,
        places: BTreeMap::new(),
        findings: Findings::default(),
    };
    if text.len() > MOST_BYTES {
        builder.findings.error(
            Pointer::root(),
            format!("has {} bytes", text.len()),
            format!("at most {MOST_BYTES} are read"),
        );
        return Err(builder.findings);
    }
    for event in Parser::new_from_str(text) {
        match event {
            Ok((event, span)) => {
                if builder.take(event, &span).is_none() {
                    break;
                }
            }
            Err(error) => {
                let line = error.marker().line() + first_line - 1;
                let problem = format!("line {line}: is not YAML: {}", brief(error.info()));
                builder.findings.error(
                    builder.here(),
                    problem,
                    "correct it, or put the text in double quotes",
                );
                break;
            }
        }
    }
    if builder.findings.has_errors() {
        return Err(builder.findings);
    }
    Ok(Yaml { value: builder.root.unwrap_or(Value::Null), places: builder.places })
}

// === impl Yaml ===

impl Yaml {
    pub fn place(&self, at: &Pointer) -> Option<Place> {
        self.places.get(at).copied()
    }
}

// === impl Builder ===

impl Builder {
    /// None when there is no use in going on.
    fn take(&mut self, event: Event<'_>, span: &Span) -> Option<()> {
        let place = self.place(span);
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    self.wrong(place, "begins a second document", "write one document");
                    return None;
                }
            }
            Event::Alias(_) => {
                self.wrong(place, "is an alias", "write the value itself");
                self.value(Value::Null, place);
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.plain_only(place, anchor, tag.is_some());
                if let Some((_, Open::Object { name: name @ None, .. })) = self.open.last_mut() {
                    if text.len() > MOST_NAME {
                        let problem = format!("has a name of {} bytes", text.len());
                        self.wrong(place, &problem, format!("at most {MOST_NAME} are read"));
                        return None;
                    }
                    *name = Some(text.into_owned());
                    return Some(());
                }
                let value = if style == ScalarStyle::Plain {
                    meaning(&text).unwrap_or_else(|| {
                        let fix = "put it in double quotes to have it as text";
                        self.wrong(place, "is a number that JSON does not have", fix);
                        Value::Null
                    })
                } else {
                    Value::String(text.into_owned())
                };
                self.value(value, place);
            }
            Event::SequenceStart(anchor, tag) => {
                self.plain_only(place, anchor, tag.is_some());
                self.begin(Open::List(Vec::new()), place)?;
            }
            Event::MappingStart(anchor, tag) => {
                self.plain_only(place, anchor, tag.is_some());
                self.begin(Open::Object { members: Map::new(), name: None }, place)?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let (_, open) = self.open.pop()?;
                self.add(match open {
                    Open::List(items) => Value::Array(items),
                    Open::Object { members, .. } => Value::Object(members),
                });
            }
        }
        Some(())
    }

    fn begin(&mut self, open: Open, place: Place) -> Option<()> {
        if self.open.len() >= MOST_DEPTH {
            self.wrong(place, "is nested too deeply", format!("at most {MOST_DEPTH} levels are read"));
            return None;
        }
        if let Some((_, Open::Object { name: None, .. })) = self.open.last() {
            self.wrong(place, "has a name that is a list or an object", "write a name that is text");
            return None;
        }
        let at = self.here();
        self.note_place(&at, place);
        self.open.push((at, open));
        Some(())
    }

    fn value(&mut self, value: Value, place: Place) {
        // An alias as a name: the finding is there already.
        if let Some((_, Open::Object { name: name @ None, .. })) = self.open.last_mut() {
            *name = Some(String::new());
            return;
        }
        let at = self.here();
        self.note_place(&at, place);
        self.add(value);
    }

    /// Puts a complete value where it belongs.
    fn add(&mut self, value: Value) {
        match self.open.last_mut() {
            None => self.root = Some(value),
            Some((_, Open::List(items))) => items.push(value),
            Some((_, Open::Object { members, name })) => {
                members.entry(name.take().unwrap_or_default()).or_insert(value);
            }
        }
    }

    /// Remembers where a value is. The second value of the same name is a finding.
    fn note_place(&mut self, at: &Pointer, place: Place) {
        if let Some(first) = self.places.get(at) {
            let (first, fix) = (first.line, "keep one of them");
            self.wrong(place, &format!("has a name that is already on line {first}"), fix);
        } else {
            self.places.insert(at.clone(), place);
        }
    }

    fn plain_only(&mut self, place: Place, anchor: usize, tagged: bool) {
        if anchor > 0 {
            self.wrong(place, "has an anchor", "remove it: aliases are not read");
        }
        if tagged {
            self.wrong(place, "has a tag", "remove it, and quote the value if it is text");
        }
    }

    fn wrong(&mut self, place: Place, problem: &str, fix: impl Into<String>) {
        let problem = format!("line {}: {problem}", place.line);
        self.findings.error(self.here(), problem, fix);
    }

    /// Where the next value belongs.
    fn here(&self) -> Pointer {
        match self.open.last() {
            None => Pointer::root(),
            Some((at, Open::List(items))) => at.index(items.len()),
            Some((at, Open::Object { name: Some(name), .. })) => at.join(name),
            Some((at, Open::Object { name: None, .. })) => at.clone(),
        }
    }

    fn place(&self, span: &Span) -> Place {
        Place { line: span.start.line() + self.first_line - 1, column: span.start.col() + 1 }
    }
}
