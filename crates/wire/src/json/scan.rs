//! The strict check that every incoming text passes once. It enforces RFC 8259, unique member names
//! at every depth, paired surrogates, and limits on depth and size. It records the positions of the
//! outermost members and builds nothing else, so it is faster than a parse.
//!
//! `serde_json` accepts duplicate names and keeps the last one. It must not be the first reader of
//! a message on which a decision is made, because another parser may keep the first one.
use super::fault::{DEEPEST, Fault, FaultKind, Limits};
use super::names::{self, Name};
use super::span::Span;
use super::string;

/// Checks one JSON text. White space around the value is allowed.
pub fn check(bytes: &[u8], limits: &Limits) -> Result<(), Fault> {
    check_size(bytes, limits)?;
    let text = std::str::from_utf8(bytes).map_err(|error| not_utf8(&error))?;
    check_members(text, limits, |_, _| {})
}

/// Converts bytes to text. Returns the bytes if they are too long or not valid UTF-8.
pub(crate) fn into_text(bytes: Vec<u8>, limits: &Limits) -> Result<String, (Fault, Vec<u8>)> {
    match check_size(&bytes, limits) {
        Ok(()) => {
            String::from_utf8(bytes).map_err(|error| (not_utf8(&error.utf8_error()), error.into_bytes()))
        }
        Err(fault) => Err((fault, bytes)),
    }
}

/// Checks one JSON text and calls `member` with the name and value of each member of the outermost
/// object. It does not check the size of the text.
pub(crate) fn check_members(
    text: &str,
    limits: &Limits,
    member: impl FnMut(Span, Span),
) -> Result<(), Fault> {
    Scanner::new(text, limits).run(member)
}

fn check_size(bytes: &[u8], limits: &Limits) -> Result<(), Fault> {
    // Positions are stored in 32 bits.
    let max_bytes = limits.max_bytes.min(u32::MAX as usize);
    if bytes.len() > max_bytes {
        return Err(Fault { kind: FaultKind::TooLarge, at: max_bytes });
    }
    Ok(())
}

fn not_utf8(error: &std::str::Utf8Error) -> Fault {
    Fault { kind: FaultKind::InvalidUtf8, at: error.valid_up_to() }
}

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    max_depth: usize,
    /// Number of further values that are allowed.
    nodes_left: usize,
    depth: usize,
    /// For each open container: the index in `names` of its first member name, or `ARRAY`.
    open: [u32; DEEPEST],
    /// Names of all open objects, innermost last.
    names: Vec<Name>,
    /// Whether any name so far contains an escape.
    escaped_names: bool,
    /// The name of the outermost member whose value is being read.
    outer: Option<Span>,
}

/// Marks an array in `Scanner::open`.
const ARRAY: u32 = u32::MAX;

/// The part of a value that has been read.
enum Read {
    All,
    /// Only the beginning of a container; its first element or member value comes next.
    Start,
}

// === impl Scanner ===

impl<'a> Scanner<'a> {
    fn new(text: &'a str, limits: &Limits) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            max_depth: limits.max_depth.min(DEEPEST),
            nodes_left: limits.max_nodes,
            depth: 0,
            open: [0; DEEPEST],
            names: Vec::with_capacity(16),
            escaped_names: false,
            outer: None,
        }
    }

    fn run(mut self, mut member: impl FnMut(Span, Span)) -> Result<(), Fault> {
        let mut outer_start = 0;
        loop {
            self.skip_space();
            if self.depth == 1 {
                outer_start = self.at;
            }
            if let Read::Start = self.value()? {
                continue;
            }
            // A value has ended, and containers around it may end too.
            loop {
                if self.depth == 1
                    && let Some(name) = self.outer.take()
                {
                    member(name, Span::new(outer_start, self.at));
                }
                self.skip_space();
                match self.peek() {
                    None if self.depth == 0 => return Ok(()),
                    Some(_) if self.depth == 0 => return Err(self.fault(FaultKind::TrailingText)),
                    Some(b',') => break,
                    Some(b'}') if self.in_object() => self.close_object()?,
                    Some(b']') if !self.in_object() => self.close_array(),
                    _ => return Err(self.expected("`,` or the end of the object or array")),
                }
            }
            self.at += 1;
            if self.in_object() {
                self.skip_space();
                self.name()?;
            }
        }
    }

    fn value(&mut self) -> Result<Read, Fault> {
        if self.nodes_left == 0 {
            return Err(self.fault(FaultKind::TooManyValues));
        }
        self.nodes_left -= 1;
        match self.peek() {
            Some(b'"') => {
                self.string()?;
            }
            Some(b'{') => return self.object_start(),
            Some(b'[') => return self.array_start(),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word(b"true")?,
            Some(b'f') => self.word(b"false")?,
            Some(b'n') => self.word(b"null")?,
            _ => return Err(self.expected("a value")),
        }
        Ok(Read::All)
    }

    fn object_start(&mut self) -> Result<Read, Fault> {
        self.open(self.names.len() as u32)?;
        self.skip_space();
        if self.peek() == Some(b'}') {
            self.close_object()?;
            return Ok(Read::All);
        }
        self.name()?;
        Ok(Read::Start)
    }

    fn array_start(&mut self) -> Result<Read, Fault> {
        self.open(ARRAY)?;
        self.skip_space();
        if self.peek() == Some(b']') {
            self.close_array();
            return Ok(Read::All);
        }
        Ok(Read::Start)
    }

    fn open(&mut self, container: u32) -> Result<(), Fault> {
        if self.depth == self.max_depth {
            return Err(self.fault(FaultKind::TooDeep));
        }
        self.open[self.depth] = container;
        self.depth += 1;
        self.at += 1;
        Ok(())
    }

    fn close_object(&mut self) -> Result<(), Fault> {
        let first = self.open[self.depth - 1] as usize;
        let names = &mut self.names[first..];
        let duplicate = if self.escaped_names {
            names::duplicate_meaning(self.text, names)
        } else {
            names::duplicate(self.text, names)
        };
        if let Some(at) = duplicate {
            return Err(Fault { kind: FaultKind::DuplicateMember, at });
        }
        self.names.truncate(first);
        self.depth -= 1;
        self.at += 1;
        Ok(())
    }

    fn close_array(&mut self) {
        self.depth -= 1;
        self.at += 1;
    }

    /// Reads a member name and its colon.
    fn name(&mut self) -> Result<(), Fault> {
        if self.peek() != Some(b'"') {
            return Err(self.expected("a member name in quotes"));
        }
        let start = self.at + 1;
        self.escaped_names |= self.string()?;
        let name = Span::new(start, self.at - 1);
        self.names.push(Name::new(self.text, name));
        if self.depth == 1 {
            self.outer = Some(name);
        }
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.expected("`:`"));
        }
        self.at += 1;
        Ok(())
    }

    /// Reads a string and returns whether it contains escapes.
    fn string(&mut self) -> Result<bool, Fault> {
        let bytes = self.bytes;
        let mut escaped = false;
        self.at = string::walk(bytes, self.at + 1, |at| {
            escaped = true;
            string::escape_end(bytes, at)
        })?;
        if self.peek() != Some(b'"') {
            return Err(self.expected("no control character in a string"));
        }
        self.at += 1;
        Ok(escaped)
    }

    fn number(&mut self) -> Result<(), Fault> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            // No digit may follow a leading zero.
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Fault> {
        let count = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return Err(self.expected("a digit"));
        }
        self.at += count;
        Ok(())
    }

    fn word(&mut self, word: &'static [u8]) -> Result<(), Fault> {
        if !self.bytes[self.at..].starts_with(word) {
            return Err(self.expected("a value"));
        }
        self.at += word.len();
        Ok(())
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn in_object(&self) -> bool {
        self.open[self.depth - 1] != ARRAY
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn expected(&self, what: &'static str) -> Fault {
        self.fault(if self.at == self.bytes.len() {
            FaultKind::Incomplete
        } else {
            FaultKind::Expected(what)
        })
    }

    fn fault(&self, kind: FaultKind) -> Fault {
        Fault { kind, at: self.at }
    }
}
