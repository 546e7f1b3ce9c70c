//! Parses JSON with comments and trailing commas, for the positions of its values. Duplicate member
//! names are kept.
use super::jsonc;
use super::node::{Member, Node, Value};

/// Why a file is not JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct JsonError {
    line: usize,
    problem: &'static str,
}

/// The deepest nesting that is accepted. Files of clients are never nested this deep.
const DEEPEST: usize = 100;
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Parses the file. Ranges count from the beginning of the text, including a byte order mark.
pub(super) fn parse(text: &str) -> Result<Node, JsonError> {
    let plain = jsonc::to_json(text);
    let start = if plain.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let mut parser = Parser { text: &plain, at: start };
    let node = parser.value(0)?;
    parser.skip_space();
    match parser.at == plain.len() {
        true => Ok(node),
        false => Err(parser.error("there is more after the value")),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn value(&mut self, depth: usize) -> Result<Node, JsonError> {
        self.skip_space();
        let start = self.at;
        let value = match self.byte() {
            _ if depth > DEEPEST => return Err(self.error("it is nested too deeply")),
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => Value::String(self.string()?),
            _ => self.scalar()?,
        };
        Ok(Node { range: start..self.at, value })
    }

    fn object(&mut self, depth: usize) -> Result<Value, JsonError> {
        self.at += 1;
        let mut members = Vec::new();
        loop {
            self.skip_space();
            match self.byte() {
                Some(b'}') if members.is_empty() => break,
                Some(b'"') => {}
                _ => return Err(self.error("expected a name in quotes")),
            }
            let start = self.at;
            let name = self.string()?;
            let name_range = start..self.at;
            self.skip_space();
            if self.byte() != Some(b':') {
                return Err(self.error("expected a colon"));
            }
            self.at += 1;
            members.push(Member { name, name_range, node: self.value(depth + 1)? });
            if self.ends(b'}')? {
                return Ok(Value::Object(members));
            }
        }
        self.at += 1;
        Ok(Value::Object(members))
    }

    fn array(&mut self, depth: usize) -> Result<Value, JsonError> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.byte() == Some(b']') {
            self.at += 1;
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.ends(b']')? {
                return Ok(Value::Array(items));
            }
        }
    }

    /// Reads past a closing bracket or a comma. Returns whether it was the bracket, which ends the
    /// list.
    fn ends(&mut self, bracket: u8) -> Result<bool, JsonError> {
        self.skip_space();
        match self.byte() {
            Some(byte) if byte == bracket => {
                self.at += 1;
                Ok(true)
            }
            Some(b',') => {
                self.at += 1;
                Ok(false)
            }
            _ => Err(self.error("expected a comma or a closing bracket")),
        }
    }

    fn string(&mut self) -> Result<String, JsonError> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut at = start + 1;
        loop {
            match bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => at += 2,
                Some(_) => at += 1,
                None => return Err(self.error("a text has no end")),
            }
        }
        let end = at + 1;
        let text = self.text.get(start..end).and_then(|text| serde_json::from_str(text).ok());
        let text = text.ok_or_else(|| self.error("a text is not valid JSON"))?;
        self.at = end;
        Ok(text)
    }

    fn scalar(&mut self) -> Result<Value, JsonError> {
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
        let word = &rest[..length.unwrap_or(rest.len())];
        match serde_json::from_str::<serde_json::Value>(word) {
            Ok(_) => {
                self.at += word.len();
                Ok(Value::Scalar(word.to_owned()))
            }
            Err(_) => Err(self.error("expected a value")),
        }
    }

    fn skip_space(&mut self) {
        while matches!(self.byte(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn error(&self, problem: &'static str) -> JsonError {
        let before = self.text.as_bytes().get(..self.at).unwrap_or_default();
        JsonError { line: before.iter().filter(|byte| **byte == b'\n').count() + 1, problem }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_know_where_they_are() {
        let text = "\u{feff}{ // é\r\n \"a\": [1, \"x\\\"y\", ], /* { */ \"a\": {\"b\": null,},\r\n}\r\n";
        let root = parse(text).unwrap();
        let [first, second] = root.members() else { panic!("{root:?}") };
        assert_eq!(&text[first.name_range.clone()], "\"a\"");
        assert_eq!(&text[first.node.range.clone()], "[1, \"x\\\"y\", ]");
        assert_eq!(&text[first.node.elements()[1].range.clone()], r#""x\"y""#);
        assert_eq!(first.node.elements()[1].string(), Some("x\"y"));
        assert_eq!(&text[second.node.range.clone()], "{\"b\": null,}");
        assert!(root.get("a").and_then(|last| last.get("b")).unwrap().is_null());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, said) in [
            ("", "line 1: expected a value"),
            ("{\n\"a\" 1}", "line 2: expected a colon"),
            ("{\n\n\"a\": tru}", "line 3: expected a value"),
            ("{\"a\": 1 \"b\": 2}", "line 1: expected a comma or a closing bracket"),
            ("{} {}", "line 1: there is more after the value"),
            ("\"a", "line 1: a text has no end"),
            ("\"\\", "line 1: a text has no end"),
            ("\"\\x\"", "line 1: a text is not valid JSON"),
            ("{1: 2}", "line 1: expected a name in quotes"),
            ("[01]", "line 1: expected a value"),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), said, "{text}");
        }
        assert!(parse(&"[".repeat(100_000)).is_err(), "deep nesting is refused, not followed");
    }
}
