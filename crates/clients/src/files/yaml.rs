//! Parses YAML for the positions of its values. A file is rejected if a position does not hold the
//! value that was read.
use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use super::node::{Member, Node, Value};

/// Why a file is not YAML that can be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct YamlError {
    line: usize,
    problem: String,
}

/// The deepest nesting that is accepted. Files of clients are never nested this deep.
const DEEPEST: usize = 100;
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A list or an object that is not complete yet.
enum OpenNode {
    List { start: usize, items: Vec<Node> },
    Object { start: usize, members: Vec<Member>, name: Option<Node> },
}

struct Builder<'a> {
    text: &'a str,
    /// The byte position of each character, and the end of the text.
    places: Vec<usize>,
    open: Vec<OpenNode>,
    root: Option<Node>,
}

/// Parses the file. Ranges count from the beginning of the text, including a byte order mark. The
/// range of a block ends with its last value.
pub(super) fn parse(text: &str) -> Result<Node, YamlError> {
    let plain = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let start = text.len() - plain.len();
    let places = plain.char_indices().map(|(at, _)| at + start).chain([text.len()]).collect();
    let mut builder = Builder { text, places, open: Vec::new(), root: None };
    for event in Parser::new_from_str(plain) {
        let (event, span) = event
            .map_err(|error| YamlError { line: error.marker().line(), problem: error.info().to_owned() })?;
        let line = span.start.line();
        let wrong = |problem: &str| YamlError { line, problem: problem.to_owned() };
        builder.take(event, &span).map_err(wrong)?;
    }
    builder.root.ok_or_else(|| YamlError { line: 1, problem: "it has no value".to_owned() })
}

impl Builder<'_> {
    fn take(&mut self, event: Event<'_>, span: &Span) -> Result<(), &'static str> {
        let start = self.place(span.start.index())?;
        match event {
            Event::MappingStart(..) | Event::SequenceStart(..) if self.open.len() >= DEEPEST => {
                Err("it is nested too deeply")
            }
            Event::MappingStart(..) => {
                self.open.push(OpenNode::Object { start, members: Vec::new(), name: None });
                Ok(())
            }
            Event::SequenceStart(..) => {
                self.open.push(OpenNode::List { start, items: Vec::new() });
                Ok(())
            }
            Event::MappingEnd | Event::SequenceEnd => {
                let end = self.place(span.end.index())?;
                self.close(end)
            }
            Event::Scalar(value, style, ..) => {
                let node = self.scalar(&value, style, start, self.place(span.end.index())?)?;
                self.add(node)
            }
            Event::Alias(_) => {
                let end = self.place(span.end.index())?;
                let value = Value::Scalar(self.text.get(start..end).unwrap_or_default().to_owned());
                self.add(Node { range: start..end, value })
            }
            Event::DocumentStart(_) if self.root.is_some() => Err("it has several documents"),
            _ => Ok(()),
        }
    }

    fn scalar(
        &self,
        value: &str,
        style: ScalarStyle,
        start: usize,
        end: usize,
    ) -> Result<Node, &'static str> {
        const MISPLACED: &str = "a value is not where it was read";
        let text = self.text.get(start..end.max(start)).ok_or(MISPLACED)?;
        // The parser includes the whitespace and comments after some values.
        let length = match style {
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => quoted_length(&self.text[start..]),
            ScalarStyle::Plain if text.starts_with(value) => Some(value.len()),
            ScalarStyle::Plain if value == "~" => Some(0),
            ScalarStyle::Plain => text.contains('\n').then(|| text.trim_end().len()),
            ScalarStyle::Literal | ScalarStyle::Folded => Some(text.trim_end().len()),
        };
        let length = length.ok_or(MISPLACED)?;
        let value = match style {
            ScalarStyle::Plain if is_word(value) => Value::Scalar(plain_word(value).to_owned()),
            // A quoted text can't replace a block scalar in place, so a block scalar does not count
            // as a string.
            ScalarStyle::Literal | ScalarStyle::Folded => Value::Scalar(value.to_owned()),
            _ => Value::String(value.to_owned()),
        };
        Ok(Node { range: start..start + length, value })
    }

    fn close(&mut self, end: usize) -> Result<(), &'static str> {
        let node = match self.open.pop().ok_or("a bracket has no beginning")? {
            OpenNode::List { start, items } => {
                let last = items.last().map(|item| item.range.end);
                let start = self.first_dash(start, items.first());
                Node { range: start..self.end(start, last, end), value: Value::Array(items) }
            }
            OpenNode::Object { start, members, .. } => {
                let last = members.last().map(|member| member.node.range.end);
                Node { range: start..self.end(start, last, end), value: Value::Object(members) }
            }
        };
        self.add(node)
    }

    /// Returns where a list begins. The parser does not include the first dash of a block that is
    /// not indented.
    fn first_dash(&self, start: usize, first: Option<&Node>) -> usize {
        let before = first.and_then(|first| self.text.get(..first.range.start)).unwrap_or_default();
        let before = before.trim_end_matches(' ');
        match self.text.as_bytes().get(start) {
            Some(b'[') => start,
            _ if before.ends_with('-') => before.len() - 1,
            _ => start,
        }
    }

    /// Returns where a node ends: at the closing bracket, or for a block at the end of its last
    /// value.
    fn end(&self, start: usize, last: Option<usize>, end: usize) -> usize {
        match self.text.as_bytes().get(start) {
            Some(b'[' | b'{') => end,
            _ => last.unwrap_or(start),
        }
    }

    fn add(&mut self, node: Node) -> Result<(), &'static str> {
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(OpenNode::List { items, .. }) => items.push(node),
            Some(OpenNode::Object { members, name, .. }) => match name.take() {
                None => *name = Some(node),
                Some(key) => {
                    let text = match key.value {
                        Value::String(text) | Value::Scalar(text) => text,
                        Value::Object(_) | Value::Array(_) => return Err("a name is not a text"),
                    };
                    members.push(Member { name: text, name_range: key.range, node });
                }
            },
        }
        Ok(())
    }

    fn place(&self, index: usize) -> Result<usize, &'static str> {
        self.places.get(index).copied().ok_or("a value is not where it was read")
    }
}

/// Returns the length of the quoted text at the beginning, including its quotes.
fn quoted_length(text: &str) -> Option<usize> {
    let quote = text.bytes().next().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let mut bytes = text.bytes().enumerate().skip(1).peekable();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' if quote == b'"' => {
                bytes.next();
            }
            b'\'' if quote == b'\'' && bytes.peek().is_some_and(|(_, next)| *next == b'\'') => {
                bytes.next();
            }
            byte if byte == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Returns whether a plain value is not a string.
fn is_word(value: &str) -> bool {
    matches!(
        value,
        "" | "~" | "null" | "Null" | "NULL" | "true" | "True" | "TRUE" | "false" | "False" | "FALSE"
    ) || value.parse::<f64>().is_ok()
}

/// Returns the word as JSON writes it.
fn plain_word(value: &str) -> &str {
    match value {
        "" | "~" | "Null" | "NULL" => "null",
        "True" | "TRUE" => "true",
        "False" | "FALSE" => "false",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_know_where_they_are() {
        let text = "\u{feff}# é\r\na:\r\n  cmd: npx # x\r\n  'q': \"y z\"\r\n  args:\r\n  - -y\r\n  - 'p'\r\n  f: [1, b]\r\n  n:\r\nz: ~\r\n";
        let root = parse(text).unwrap();
        let at = |node: &Node| text[node.range.clone()].to_owned();
        let a = root.get("a").unwrap();
        assert_eq!(at(a.get("cmd").unwrap()), "npx");
        assert_eq!(at(a.get("q").unwrap()), "\"y z\"");
        assert_eq!(at(a.get("args").unwrap()), "- -y\r\n  - 'p'");
        assert_eq!(at(&a.get("args").unwrap().elements()[0]), "-y");
        assert_eq!(at(a.get("f").unwrap()), "[1, b]");
        assert!(a.get("n").unwrap().is_null() && root.get("z").unwrap().is_null());
        assert_eq!(&text[a.member("q").unwrap().name_range.clone()], "'q'");
        assert!(parse("a: [").is_err() && parse("a: 1\n---\nb: 2\n").is_err() && parse("").is_err());
    }
}
