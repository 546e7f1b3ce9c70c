//! The strict check that every incoming text passes once: RFC 8259, and no duplicate member names at any
//! depth, no lone surrogates, bounded depth and size. It records where the outermost members are and builds
//! nothing else, which is why it is faster than a parse.
//!
//! `serde_json` accepts duplicate names (the last one wins) and therefore can't be the first reader of a
//! message on which a decision is made: another parser may take the first.
use std::borrow::Cow;
use std::fmt;

/// What a text may cost its reader.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of the whole text.
    pub max_bytes: usize,
    /// Containers inside one another; `[[]]` has depth 2.
    pub max_depth: usize,
    /// Values of any kind, so that a short text can't become a huge tree.
    pub max_nodes: usize,
}

/// Why a text was refused, and at which byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    pub at: usize,
}

/// The ways in which a text can be refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    InvalidUtf8,
    DuplicateMember,
    LoneSurrogate,
    TooDeep,
    TooLarge,
    TooManyValues,
    TrailingText,
    Incomplete,
    /// What was expected where something else stood.
    Expected(&'static str),
}

/// A half-open range of bytes in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Checks one JSON text, white space around it allowed.
pub fn check(bytes: &[u8], limits: &Limits) -> Result<(), Fault> {
    Scanner::new(bytes, limits)?.run(|_, _| {})
}

/// Checks one JSON text and calls `member` with the name and value of each member of the outermost object.
pub(crate) fn check_members(
    bytes: &[u8],
    limits: &Limits,
    member: impl FnMut(Span, Span),
) -> Result<(), Fault> {
    Scanner::new(bytes, limits)?.run(member)
}

/// The deepest nesting that any limit may ask for: one bit of `Scanner::objects` per level.
const DEEPEST: usize = 128;

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    limits: Limits,
    nodes: usize,
    depth: usize,
    /// Bit `d` is set when the container at depth `d` is an object.
    objects: u128,
    /// Names of all open objects, innermost last.
    names: Vec<Span>,
    /// For each open object, where its names begin in `names`.
    first_name: [u32; DEEPEST],
}

/// What may come next.
enum Next {
    Value,
    /// After `{`: a name or `}`.
    FirstName,
    /// After `[`: a value or `]`.
    FirstElement,
    /// After a value: `,` or the end of its container.
    AfterValue,
}

// === impl Scanner ===

impl<'a> Scanner<'a> {
    fn new(bytes: &'a [u8], limits: &Limits) -> Result<Self, Fault> {
        if bytes.len() > limits.max_bytes {
            return Err(Fault { kind: FaultKind::TooLarge, at: limits.max_bytes });
        }
        if let Err(error) = std::str::from_utf8(bytes) {
            return Err(Fault { kind: FaultKind::InvalidUtf8, at: error.valid_up_to() });
        }
        Ok(Self {
            bytes,
            at: 0,
            limits: Limits { max_depth: limits.max_depth.min(DEEPEST), ..*limits },
            nodes: 0,
            depth: 0,
            objects: 0,
            names: Vec::new(),
            first_name: [0; DEEPEST],
        })
    }

    fn run(mut self, mut member: impl FnMut(Span, Span)) -> Result<(), Fault> {
        // Name and start of the value of the outermost member that is being read.
        let mut outer: Option<(Span, usize)> = None;
        let mut next = Next::Value;
        loop {
            self.skip_space();
            next = match next {
                Next::Value => {
                    if self.depth == 1
                        && let Some((_, start)) = outer.as_mut()
                    {
                        *start = self.at;
                    }
                    self.value()?
                }
                Next::FirstElement if self.peek() == Some(b']') => self.close(b']')?,
                Next::FirstElement => Next::Value,
                Next::FirstName if self.peek() == Some(b'}') => self.close(b'}')?,
                Next::FirstName => self.name(&mut outer)?,
                Next::AfterValue => {
                    if self.depth == 0 {
                        return if self.at == self.bytes.len() {
                            Ok(())
                        } else {
                            Err(self.fault(FaultKind::TrailingText))
                        };
                    }
                    if self.depth == 1
                        && let Some((name, start)) = outer.take()
                    {
                        member(name, Span { start, end: self.value_end(start) });
                    }
                    match self.peek() {
                        Some(b',') => {
                            self.at += 1;
                            self.skip_space();
                            if self.in_object() { self.name(&mut outer)? } else { Next::Value }
                        }
                        Some(b'}') => self.close(b'}')?,
                        Some(b']') => self.close(b']')?,
                        _ => return Err(self.expected("`,` or the end of the object or array")),
                    }
                }
            };
        }
    }

    fn value(&mut self) -> Result<Next, Fault> {
        self.nodes += 1;
        if self.nodes > self.limits.max_nodes {
            return Err(self.fault(FaultKind::TooManyValues));
        }
        match self.peek() {
            Some(b'"') => self.string().map(|_| Next::AfterValue),
            Some(b'{') => self.open(true),
            Some(b'[') => self.open(false),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word(b"true"),
            Some(b'f') => self.word(b"false"),
            Some(b'n') => self.word(b"null"),
            _ => Err(self.expected("a value")),
        }
    }

    fn open(&mut self, object: bool) -> Result<Next, Fault> {
        if self.depth == self.limits.max_depth {
            return Err(self.fault(FaultKind::TooDeep));
        }
        if object {
            self.objects |= 1 << self.depth;
            self.first_name[self.depth] = self.names.len() as u32;
        } else {
            self.objects &= !(1 << self.depth);
        }
        self.depth += 1;
        self.at += 1;
        Ok(if object { Next::FirstName } else { Next::FirstElement })
    }

    fn close(&mut self, bracket: u8) -> Result<Next, Fault> {
        if self.in_object() != (bracket == b'}') {
            return Err(self.expected("the bracket that closes this container"));
        }
        if bracket == b'}' {
            let first = self.first_name[self.depth - 1] as usize;
            if let Some(at) = first_duplicate(self.bytes, &mut self.names[first..]) {
                return Err(Fault { kind: FaultKind::DuplicateMember, at });
            }
            self.names.truncate(first);
        }
        self.depth -= 1;
        self.at += 1;
        Ok(Next::AfterValue)
    }

    fn name(&mut self, outer: &mut Option<(Span, usize)>) -> Result<Next, Fault> {
        if self.peek() != Some(b'"') {
            return Err(self.expected("a member name in quotes"));
        }
        let name = self.string()?;
        self.names.push(name);
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.expected("`:`"));
        }
        self.at += 1;
        if self.depth == 1 {
            *outer = Some((name, self.at));
        }
        Ok(Next::Value)
    }

    /// Reads a string and returns the span between its quotes.
    fn string(&mut self) -> Result<Span, Fault> {
        self.at += 1;
        let start = self.at;
        loop {
            self.at += plain_prefix(&self.bytes[self.at..]);
            match self.peek() {
                Some(b'"') => {
                    let span = Span { start, end: self.at };
                    self.at += 1;
                    return Ok(span);
                }
                Some(b'\\') => self.escape()?,
                Some(_) => return Err(self.expected("no control character in a string")),
                None => return Err(self.fault(FaultKind::Incomplete)),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.at += 2;
        match self.bytes.get(start + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(()),
            Some(b'u') => {
                let lone = Fault { kind: FaultKind::LoneSurrogate, at: start };
                match self.hex4()? {
                    0xD800..=0xDBFF => {
                        if self.bytes.get(self.at..self.at + 2) != Some(b"\\u".as_slice()) {
                            return Err(lone);
                        }
                        self.at += 2;
                        if matches!(self.hex4()?, 0xDC00..=0xDFFF) { Ok(()) } else { Err(lone) }
                    }
                    0xDC00..=0xDFFF => Err(lone),
                    _ => Ok(()),
                }
            }
            Some(_) => {
                Err(Fault { kind: FaultKind::Expected("one of `\"\\/bfnrtu` after a backslash"), at: start })
            }
            None => Err(Fault { kind: FaultKind::Incomplete, at: self.bytes.len() }),
        }
    }

    fn hex4(&mut self) -> Result<u16, Fault> {
        let digits = self
            .bytes
            .get(self.at..self.at + 4)
            .ok_or(Fault { kind: FaultKind::Incomplete, at: self.bytes.len() })?;
        let mut value = 0;
        for digit in digits {
            let digit = (*digit as char)
                .to_digit(16)
                .ok_or(Fault { kind: FaultKind::Expected("four hexadecimal digits"), at: self.at })?;
            value = value << 4 | digit as u16;
        }
        self.at += 4;
        Ok(value)
    }

    fn number(&mut self) -> Result<Next, Fault> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            // A leading zero stands alone.
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
        Ok(Next::AfterValue)
    }

    fn digits(&mut self) -> Result<(), Fault> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err(self.expected("a digit")) } else { Ok(()) }
    }

    fn word(&mut self, word: &'static [u8]) -> Result<Next, Fault> {
        if self.bytes[self.at..].starts_with(word) {
            self.at += word.len();
            Ok(Next::AfterValue)
        } else {
            Err(self.expected("a value"))
        }
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    /// The end of the value that began at `start` and was just read, without the white space after it.
    fn value_end(&self, start: usize) -> usize {
        let read = &self.bytes[start..self.at];
        start + read.trim_ascii_end().len()
    }

    fn in_object(&self) -> bool {
        self.depth > 0 && self.objects >> (self.depth - 1) & 1 == 1
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn expected(&self, what: &'static str) -> Fault {
        self.fault(if self.at == self.bytes.len() { FaultKind::Incomplete } else { FaultKind::Expected(what) })
    }

    fn fault(&self, kind: FaultKind) -> Fault {
        Fault { kind, at: self.at }
    }
}

/// How many leading bytes are neither a quote, a backslash nor a control character; eight at a time.
pub(super) fn plain_prefix(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    /// The high bit of each byte that is zero. The lowest one set is always right, and no other is looked at.
    fn zeros(word: u64) -> u64 {
        word.wrapping_sub(ONES) & !word & HIGHS
    }
    let mut done = 0;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        let word = u64::from_le_bytes(*word);
        let quotes = zeros(word ^ (ONES * b'"' as u64));
        let slashes = zeros(word ^ (ONES * b'\\' as u64));
        let controls = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
        let stops = quotes | slashes | controls;
        if stops != 0 {
            return done + stops.trailing_zeros() as usize / 8;
        }
        done += 8;
    }
    done + rest
        .iter()
        .position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1F))
        .unwrap_or(rest.len())
}

/// Finds a name that stands twice, comparing what the names mean and not how they are escaped.
///
/// Sorting instead of hashing: nobody can choose names that make it slow.
fn first_duplicate(bytes: &[u8], names: &mut [Span]) -> Option<usize> {
    const FEW: usize = 12;
    let raw = |span: &Span| &bytes[span.start..span.end];
    let escaped = names.iter().any(|span| memchr::memchr(b'\\', raw(span)).is_some());
    if !escaped && names.len() <= FEW {
        for (i, later) in names.iter().enumerate().skip(1) {
            if names[..i].iter().any(|earlier| raw(earlier) == raw(later)) {
                return Some(later.start);
            }
        }
        return None;
    }
    if !escaped {
        names.sort_unstable_by(|a, b| raw(a).cmp(raw(b)));
        return names.windows(2).find(|pair| raw(&pair[0]) == raw(&pair[1])).map(|pair| pair[1].start);
    }
    let mut meant: Vec<(Cow<'_, str>, usize)> =
        names.iter().map(|span| (unescape(raw(span)), span.start)).collect();
    meant.sort_unstable();
    meant.windows(2).find(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1].1)
}

/// What a checked string between its quotes means.
pub(super) fn unescape(raw: &[u8]) -> Cow<'_, str> {
    let text = std::str::from_utf8(raw).unwrap_or_default();
    if memchr::memchr(b'\\', raw).is_none() {
        return Cow::Borrowed(text);
    }
    // The scanner has checked every escape, so serde_json decodes what is there and can't fail.
    Cow::Owned(serde_json::from_str(&format!("\"{text}\"")).unwrap_or_default())
}

// === impl Limits ===

impl Default for Limits {
    fn default() -> Self {
        Self { max_bytes: 16 << 20, max_depth: DEEPEST, max_nodes: 1_000_000 }
    }
}

// === impl Fault ===

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.at;
        match self.kind {
            FaultKind::InvalidUtf8 => write!(f, "not valid UTF-8 at byte {at}"),
            FaultKind::DuplicateMember => write!(f, "a member name stands twice in one object, at byte {at}"),
            FaultKind::LoneSurrogate => write!(f, "a surrogate escape without its other half at byte {at}"),
            FaultKind::TooDeep => write!(f, "nested too deeply at byte {at}"),
            FaultKind::TooLarge => write!(f, "longer than {at} bytes"),
            FaultKind::TooManyValues => write!(f, "too many values, at byte {at}"),
            FaultKind::TrailingText => write!(f, "text after the end of the JSON value at byte {at}"),
            FaultKind::Incomplete => write!(f, "the JSON text ends too early"),
            FaultKind::Expected(what) => write!(f, "expected {what} at byte {at}"),
        }
    }
}

impl std::error::Error for Fault {}
