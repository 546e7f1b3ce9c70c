//! Patterns for messages: JSON with placeholders.
use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::CharIndices;

use overt_wire::json::Json;

/// JSON with placeholders. Members may be in any order; numbers must be written the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    Any,
    /// Any value, which is kept under this name; or the same value, if one was kept before.
    Keep(String),
    /// A number, `true`, `false` or `null`.
    Token(String),
    /// Pieces of text, with any text between them.
    Text(Vec<String>),
    Array {
        items: Vec<Pattern>,
        open: bool,
    },
    Object {
        members: Vec<(String, Pattern)>,
        open: bool,
    },
}

/// Kept values by name, as their exact text.
pub type Kept = BTreeMap<String, String>;

/// The placeholder for any text within a string.
const GAP: char = '…';

impl Pattern {
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader { text, rest: text.char_indices().peekable() };
        let pattern = reader.value()?;
        reader.space();
        match reader.rest.peek() {
            None => Ok(pattern),
            Some((at, _)) => Err(format!("text after the end: {}", &text[*at..])),
        }
    }

    /// Compares a value. Returns where it differs as an error. Values are kept only if everything
    /// matches.
    pub fn check(&self, value: Json<'_>, kept: &mut Kept) -> Result<(), String> {
        let mut new = kept.clone();
        self.compare(value, "", &mut new)?;
        *kept = new;
        Ok(())
    }

    fn compare(&self, value: Json<'_>, place: &str, kept: &mut Kept) -> Result<(), String> {
        let differs = |what: &str| {
            let at = if place.is_empty() { "the message" } else { place };
            Err(format!("{at} {what}, but is {}", excerpt(value.as_str())))
        };
        match self {
            Self::Any => Ok(()),
            Self::Keep(name) => match kept.get(name) {
                Some(known) if known == value.as_str() => Ok(()),
                Some(known) => differs(&format!("should be `${name}`, {known}")),
                None => {
                    kept.insert(name.clone(), value.as_str().to_owned());
                    Ok(())
                }
            },
            Self::Token(token) if token == value.as_str() => Ok(()),
            Self::Token(token) => differs(&format!("should be {token}")),
            Self::Text(pieces) => match value.string() {
                Some(text) if has_pieces(&text, pieces) => Ok(()),
                _ => differs(&format!("should be {:?}", pieces.join("…"))),
            },
            Self::Array { items, open } => {
                let elements: Vec<Json<'_>> = value.elements().collect();
                if !value.is_array()
                    || elements.len() < items.len()
                    || (elements.len() > items.len() && !open)
                {
                    return differs(&format!("should have {} elements", items.len()));
                }
                for (index, (item, element)) in items.iter().zip(elements).enumerate() {
                    item.compare(element, &format!("{place}[{index}]"), kept)?;
                }
                Ok(())
            }
            Self::Object { members, open } => {
                if !value.is_object() {
                    return differs("should be an object");
                }
                for (name, pattern) in members {
                    let found = value.members().find(|(key, _)| key.is(name));
                    let Some((_, found)) = found else { return differs(&format!("should have `{name}`")) };
                    pattern.compare(found, &format!("{place}.{name}"), kept)?;
                }
                let mut all = value.members();
                match all.find(|(key, _)| !open && !members.iter().any(|(name, _)| key.is(name))) {
                    Some((key, _)) => differs(&format!("should not have {key:?}")),
                    None => Ok(()),
                }
            }
        }
    }
}

/// Replaces names of kept values with the values, wherever a value may be.
pub(super) fn fill_in(text: &str, kept: &Kept) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut reader = Reader { text, rest: text.char_indices().peekable() };
    while let Some((at, c)) = reader.rest.next() {
        match c {
            '"' => {
                reader.skip_string()?;
                out.push_str(&text[at..reader.at()]);
            }
            '$' => {
                let name = reader.word(at + 1);
                let value = kept.get(&name).ok_or_else(|| format!("nothing was kept as `${name}`"))?;
                out.push_str(value);
            }
            _ => out.push(c),
        }
    }
    Ok(out)
}

fn has_pieces(text: &str, pieces: &[String]) -> bool {
    let [first, middle @ .., last] = pieces else { return pieces.first().is_some_and(|only| only == text) };
    let Some(mut rest) = text.strip_prefix(first.as_str()) else { return false };
    for piece in middle {
        let Some(at) = rest.find(piece.as_str()) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last.as_str())
}

fn excerpt(text: &str) -> String {
    const MOST: usize = 400;
    if text.chars().count() <= MOST {
        text.to_owned()
    } else {
        text.chars().take(MOST).chain(['…']).collect()
    }
}

struct Reader<'a> {
    text: &'a str,
    rest: Peekable<CharIndices<'a>>,
}

impl Reader<'_> {
    fn value(&mut self) -> Result<Pattern, String> {
        self.space();
        let (at, c) = self.rest.next().ok_or("the pattern ends too early")?;
        match c {
            '_' => Ok(Pattern::Any),
            '$' => Ok(Pattern::Keep(self.word(at + 1))),
            '"' => Ok(Pattern::Text(self.string(at)?.split(GAP).map(str::to_owned).collect())),
            '[' => self.array(),
            '{' => self.object(),
            _ => {
                let token = format!("{c}{}", self.word(at + c.len_utf8()));
                Json::parse(&token).map_err(|_| format!("`{token}` is not a value"))?;
                Ok(Pattern::Token(token))
            }
        }
    }

    fn array(&mut self) -> Result<Pattern, String> {
        let (mut items, mut open) = (Vec::new(), false);
        while !self.ends_with(']')? {
            if self.dots() {
                open = true;
            } else {
                items.push(self.value()?);
            }
        }
        Ok(Pattern::Array { items, open })
    }

    fn object(&mut self) -> Result<Pattern, String> {
        let (mut members, mut open) = (Vec::new(), false);
        while !self.ends_with('}')? {
            if self.dots() {
                open = true;
                continue;
            }
            let (at, _) =
                self.rest.next().filter(|(_, c)| *c == '"').ok_or("a member begins with its name")?;
            let name = self.string(at)?;
            self.space();
            self.rest.next().filter(|(_, c)| *c == ':').ok_or("a colon comes after a name")?;
            members.push((name, self.value()?));
        }
        Ok(Pattern::Object { members, open })
    }

    /// Skips white space and commas. Returns true if the closing bracket follows, and consumes it.
    fn ends_with(&mut self, bracket: char) -> Result<bool, String> {
        while self.rest.next_if(|(_, c)| c.is_whitespace() || *c == ',').is_some() {}
        match self.rest.peek() {
            None => Err(format!("`{bracket}` is missing")),
            Some(_) => Ok(self.rest.next_if(|(_, c)| *c == bracket).is_some()),
        }
    }

    fn dots(&mut self) -> bool {
        let found = self.text[self.at()..].starts_with("...");
        if found {
            self.rest.nth(2);
        }
        found
    }

    /// Returns the string whose opening quote is at `start` and was consumed.
    fn string(&mut self, start: usize) -> Result<String, String> {
        self.skip_string()?;
        let token = &self.text[start..self.at()];
        let value = Json::parse(token).map_err(|fault| format!("{fault}: {token}"))?;
        Ok(value.string().unwrap_or_default().into_owned())
    }

    fn skip_string(&mut self) -> Result<(), String> {
        while let Some((_, c)) = self.rest.next() {
            match c {
                '\\' => drop(self.rest.next()),
                '"' => return Ok(()),
                _ => {}
            }
        }
        Err("a string does not end".into())
    }

    /// Reads letters, digits and other characters of numbers.
    fn word(&mut self, start: usize) -> String {
        while self.rest.next_if(|(_, c)| c.is_ascii_alphanumeric() || "_-+.".contains(*c)).is_some() {}
        self.text[start..self.at()].to_owned()
    }

    fn space(&mut self) {
        while self.rest.next_if(|(_, c)| c.is_whitespace()).is_some() {}
    }

    fn at(&mut self) -> usize {
        self.rest.peek().map_or(self.text.len(), |(at, _)| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(pattern: &str, value: &str) -> Result<Kept, String> {
        let mut kept = Kept::new();
        Pattern::parse(pattern)?.check(Json::parse(value).unwrap(), &mut kept).map(|()| kept)
    }

    #[test]
    fn values_fit_their_patterns() {
        for (pattern, value) in [
            ("_", "{}"),
            (r#"{"a":1,"b":[true,null]}"#, r#"{"b":[true,null],"a":1}"#),
            (r#"{"a":_, ...}"#, r#"{"a":[],"b":2}"#),
            (r#"[1, ...]"#, "[1,2,3]"),
            (r#""a…c""#, r#""abc""#),
            (r#""…b…""#, r#""abc""#),
            (r#""a\"…""#, r#""a\"b""#),
            ("-1.50e3", "-1.50e3"),
            ("[$x,$x]", "[7,7]"),
        ] {
            assert!(verdict(pattern, value).is_ok(), "{pattern} {value}: {:?}", verdict(pattern, value));
        }
    }

    #[test]
    fn what_differs_is_named() {
        for (pattern, value, said) in [
            ("1", "1.0", "should be 1"),
            (r#"{"a":1}"#, r#"{"a":1,"b":2}"#, "should not have \"b\""),
            (r#"{"a":{"b":"x"}}"#, r#"{"a":{"b":"y"}}"#, ".a.b should be \"x\""),
            ("[1]", "[1,2]", "1 elements"),
            (r#""a…b""#, r#""ab c""#, "should be"),
            (r#""abab""#, r#""ab""#, "should be"),
            (r#""ab…b""#, r#""ab""#, "should be"),
            ("[$x,$x]", "[7,8]", "should be `$x`, 7"),
        ] {
            let error = verdict(pattern, value).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn kept_values_can_be_sent() {
        let kept = verdict(r#"{"id":$id}"#, r#"{"id":"a-1"}"#).unwrap();
        assert_eq!(fill_in(r#"{"id":$id,"t":"$id"}"#, &kept).unwrap(), r#"{"id":"a-1","t":"$id"}"#);
        assert!(fill_in("$other", &kept).is_err());
    }
}
