//! Reads YAML 1.2 into JSON values, with their places. Rejects what different readers could
//! interpret differently: duplicate names, anchors and aliases, tags, several documents.
use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use serde_json::{Map, Value};

use super::scalar::meaning;
use overt_policy::finding::{Findings, Pointer};
use overt_policy::members::brief;
use overt_settings::toml_file::LineColumn;

/// The most bytes of a text; no front matter needs more.
pub const MOST_BYTES: usize = 64 * 1024;
pub const MOST_DEPTH: usize = 32;
/// The most bytes of a name. YAML limits names before their value to 1,024 characters, and an
/// escape takes up to four characters for each byte.
pub const MOST_NAME: usize = 200;

/// A value with the places of its parts.
#[derive(Debug, Clone, PartialEq)]
pub struct Yaml {
    pub value: Value,
    places: BTreeMap<Pointer, Extent>,
}

/// The beginning, end and style of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    pub place: LineColumn,
    /// The index of the first character and of the one after the last, counted from the beginning
    /// of the text.
    pub chars: (usize, usize),
    pub style: Style,
    /// The column of the name before the value, counted from 1; `None` in a list.
    pub name_column: Option<usize>,
}

/// The style of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// A text without quotes.
    Plain,
    /// A text in quotes or in a block.
    Quoted,
    /// A list or an object by indentation.
    Block,
    /// A list or an object in brackets.
    Flow,
}

/// The reason why a text can't be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub at: Pointer,
    /// `None` if the problem concerns the whole text.
    pub place: Option<LineColumn>,
    /// What is wrong; `fix` says what to do about it.
    pub problem: String,
    pub fix: String,
}

/// A list or an object that is not complete yet.
#[derive(Debug)]
enum OpenNode {
    List(Vec<Value>),
    Object { members: Map<String, Value>, name: Option<(String, usize)> },
}

/// The most problems that are reported.
const MOST_PROBLEMS: usize = 100;

/// Builds the value from the parser's events.
#[derive(Debug)]
struct Builder<'a> {
    text: &'a [char],
    first_line: usize,
    open: Vec<(Pointer, OpenNode)>,
    root: Option<Value>,
    documents: usize,
    places: BTreeMap<Pointer, Extent>,
    problems: Vec<Problem>,
}

/// Reads a text whose first line is line `first_line` of its file.
pub fn read(text: &str, first_line: usize) -> Result<Yaml, Findings> {
    read_located(text, first_line).map_err(|problems| {
        let mut findings = Findings::default();
        for Problem { at, place, problem, fix } in problems {
            let line = place.map(|place| format!("line {}: ", place.line)).unwrap_or_default();
            findings.error(at, format!("{line}{problem}"), fix);
        }
        findings
    })
}

/// Reads a text like [`read`], and returns the place of each problem.
pub fn read_located(text: &str, first_line: usize) -> Result<Yaml, Vec<Problem>> {
    if text.len() > MOST_BYTES {
        return Err(vec![Problem {
            at: Pointer::root(),
            place: None,
            problem: format!("has {} bytes", text.len()),
            fix: format!("at most {MOST_BYTES} are read"),
        }]);
    }
    let chars: Vec<char> = text.chars().collect();
    let mut builder = Builder {
        text: &chars,
        first_line,
        open: Vec::new(),
        root: None,
        documents: 0,
        places: BTreeMap::new(),
        problems: Vec::new(),
    };
    for event in Parser::new_from_str(text) {
        match event {
            Ok((event, span)) => {
                if builder.take(event, &span).is_none() {
                    break;
                }
            }
            Err(error) => {
                let marker = error.marker();
                let place = LineColumn { line: marker.line() + first_line - 1, column: marker.col() + 1 };
                let problem = format!("is not YAML: {}", brief(error.info()));
                builder.wrong(place, &problem, "correct it, or put the text in double quotes");
                break;
            }
        }
    }
    if !builder.problems.is_empty() {
        return Err(builder.problems);
    }
    Ok(Yaml { value: builder.root.unwrap_or(Value::Null), places: builder.places })
}

// === impl Yaml ===

impl Yaml {
    pub fn place(&self, at: &Pointer) -> Option<LineColumn> {
        self.places.get(at).map(|extent| extent.place)
    }

    pub fn extent(&self, at: &Pointer) -> Option<Extent> {
        self.places.get(at).copied()
    }

    /// Returns all values that are written in this style, in the order of the pointers.
    pub fn written(&self, style: Style) -> impl Iterator<Item = (&Pointer, Extent)> {
        self.places.iter().filter(move |(_, extent)| extent.style == style).map(|(at, extent)| (at, *extent))
    }
}

// === impl Builder ===

impl Builder<'_> {
    /// Handles an event. Returns `None` if reading must stop.
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
                self.value(Value::Null, place, span, Style::Plain);
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.plain_only(place, anchor, tag.is_some());
                if let Some((_, OpenNode::Object { name: name @ None, .. })) = self.open.last_mut() {
                    if text.len() > MOST_NAME {
                        let problem = format!("has a name of {} bytes", text.len());
                        self.wrong(place, &problem, format!("at most {MOST_NAME} are read"));
                        return None;
                    }
                    *name = Some((text.to_string(), place.column));
                    if style == ScalarStyle::Plain && text == "<<" {
                        self.wrong(place, "is a merge", "write the members themselves");
                    }
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
                let style = if style == ScalarStyle::Plain { Style::Plain } else { Style::Quoted };
                self.value(value, place, span, style);
            }
            Event::SequenceStart(anchor, tag) => {
                self.plain_only(place, anchor, tag.is_some());
                self.begin(OpenNode::List(Vec::new()), place, span)?;
            }
            Event::MappingStart(anchor, tag) => {
                self.plain_only(place, anchor, tag.is_some());
                self.begin(OpenNode::Object { members: Map::new(), name: None }, place, span)?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let (at, open) = self.open.pop()?;
                if let Some(extent) = self.places.get_mut(&at) {
                    // The span of a closing bracket also covers the blanks and the comment after
                    // it.
                    let is_flow = extent.style == Style::Flow;
                    extent.chars.1 = if is_flow { span.start.index() + 1 } else { span.end.index() };
                }
                self.add(match open {
                    OpenNode::List(items) => Value::Array(items),
                    OpenNode::Object { members, .. } => Value::Object(members),
                });
            }
        }
        Some(())
    }

    fn begin(&mut self, open: OpenNode, place: LineColumn, span: &Span) -> Option<()> {
        if self.open.len() >= MOST_DEPTH {
            self.wrong(place, "is nested too deeply", format!("at most {MOST_DEPTH} levels are read"));
            return None;
        }
        if let Some((_, OpenNode::Object { name: None, .. })) = self.open.last() {
            self.wrong(place, "has a name that is a list or an object", "write a name that is text");
            return None;
        }
        let at = self.here();
        let bracket = self.text.get(span.start.index());
        let style = if matches!(bracket, Some('[' | '{')) { Style::Flow } else { Style::Block };
        self.note_place(&at, place, span, style);
        self.open.push((at, open));
        Some(())
    }

    fn value(&mut self, value: Value, place: LineColumn, span: &Span, style: Style) {
        // This is an alias used as a name, which was already reported.
        if let Some((_, OpenNode::Object { name: name @ None, .. })) = self.open.last_mut() {
            *name = Some((String::new(), place.column));
            return;
        }
        let at = self.here();
        self.note_place(&at, place, span, style);
        self.add(value);
    }

    /// Adds a complete value to its list or object.
    fn add(&mut self, value: Value) {
        match self.open.last_mut() {
            None => self.root = Some(value),
            Some((_, OpenNode::List(items))) => items.push(value),
            Some((_, OpenNode::Object { members, name })) => {
                let (name, _) = name.take().unwrap_or_default();
                members.entry(name).or_insert(value);
            }
        }
    }

    /// Records the place of a value. A second value of the same name is a problem.
    fn note_place(&mut self, at: &Pointer, place: LineColumn, span: &Span, style: Style) {
        if let Some(first) = self.places.get(at) {
            let (first, fix) = (first.place.line, "keep one of them");
            self.wrong(place, &format!("has a name that is already on line {first}"), fix);
        } else {
            let name_column = match self.open.last() {
                Some((_, OpenNode::Object { name: Some((_, column)), .. })) => Some(*column),
                _ => None,
            };
            let chars = (span.start.index(), span.end.index());
            self.places.insert(at.clone(), Extent { place, chars, style, name_column });
        }
    }

    fn plain_only(&mut self, place: LineColumn, anchor: usize, tagged: bool) {
        if anchor > 0 {
            self.wrong(place, "has an anchor", "remove it: aliases are not read");
        }
        if tagged {
            self.wrong(place, "has a tag", "remove it, and quote the value if it is text");
        }
    }

    fn wrong(&mut self, place: LineColumn, problem: &str, fix: impl Into<String>) {
        if self.problems.len() < MOST_PROBLEMS {
            let (at, problem, fix) = (self.here(), problem.to_owned(), fix.into());
            self.problems.push(Problem { at, place: Some(place), problem, fix });
        }
    }

    /// Returns the pointer of the next value.
    fn here(&self) -> Pointer {
        match self.open.last() {
            None => Pointer::root(),
            Some((at, OpenNode::List(items))) => at.index(items.len()),
            Some((at, OpenNode::Object { name: Some((name, _)), .. })) => at.join(name),
            Some((at, OpenNode::Object { name: None, .. })) => at.clone(),
        }
    }

    fn place(&self, span: &Span) -> LineColumn {
        LineColumn { line: span.start.line() + self.first_line - 1, column: span.start.col() + 1 }
    }
}
