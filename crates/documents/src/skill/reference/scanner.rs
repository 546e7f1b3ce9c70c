//! Turns characters into tokens, as the reference does. Which characters begin which token, where a
//! simple key may be, and how far the scanner looks ahead decide which error is found first.
use std::collections::{BTreeMap, VecDeque};

use super::failure::{Failure, Mark, Result};
use super::reader::{Reader, ends_line, ends_word};
use super::token::{Kind, Token};
use super::unicode::quoted;

/// The maximum length of a simple key, in characters.
const MOST_KEY: usize = 1024;

/// The scanner. It reads tokens ahead as far as the reference does.
#[derive(Debug)]
pub(super) struct Scanner {
    pub(super) reader: Reader,
    done: bool,
    /// The open brackets.
    pub(super) flow: Vec<char>,
    tokens: VecDeque<Token>,
    taken: usize,
    /// The column of the open block collection; `None` outside all collections.
    pub(super) indent: Option<usize>,
    indents: Vec<Option<usize>>,
    pub(super) allow_simple_key: bool,
    simple_keys: BTreeMap<usize, SimpleKey>,
}

/// A token that may turn out to be a key.
#[derive(Debug)]
struct SimpleKey {
    number: usize,
    required: bool,
    mark: Mark,
}

impl Scanner {
    pub(super) fn new(reader: Reader) -> Self {
        let mark = reader.mark();
        Self {
            reader,
            done: false,
            flow: Vec::new(),
            tokens: VecDeque::from([Token::new(Kind::StreamStart, mark, mark)]),
            taken: 0,
            indent: None,
            indents: Vec::new(),
            allow_simple_key: true,
            simple_keys: BTreeMap::new(),
        }
    }

    /// Returns whether the next token has one of these kinds. Fails if it does and the reference
    /// disallows that kind.
    pub(super) fn check(&mut self, kinds: &[Kind]) -> Result<bool> {
        let token = self.peek()?;
        if !kinds.contains(&token.kind) {
            return Ok(false);
        }
        let (start, end) = (token.start, token.end);
        match token.kind {
            Kind::Tag => Err(Failure::within(
                "While scanning",
                Some(end),
                "Found disallowed tag tokens (do not specify types in markup)",
                start,
            )),
            Kind::FlowMappingStart | Kind::FlowSequenceStart => Err(Failure::within(
                "While scanning",
                Some(start),
                "Found ugly disallowed JSONesque flow mapping (surround with ' and ' to make text appear literally)",
                end,
            )),
            Kind::Anchor => Err(Failure::within(
                "While scanning",
                Some(start),
                "Found confusing disallowed anchor token (surround with ' and ' to make text appear literally)",
                end,
            )),
            _ => Ok(true),
        }
    }

    /// Returns the next token without taking it.
    pub(super) fn peek(&mut self) -> Result<&mut Token> {
        self.fill()?;
        self.gather_comments()?;
        self.tokens.front_mut().ok_or(Failure::Crash("AttributeError"))
    }

    /// Takes the next token, with a comment that follows it.
    pub(super) fn take(&mut self) -> Result<Token> {
        self.peek()?;
        let [first, second] = [0, 1].map(|at| self.tokens.get(at));
        if let (Some(token), Some(comment)) = (first, second)
            && comment.kind == Kind::Comment
        {
            let same_line = token.end.line == comment.start.line;
            let ends = matches!(
                token.kind,
                Kind::Scalar | Kind::Value | Kind::FlowSequenceEnd | Kind::FlowMappingEnd
            );
            if (same_line && ends) || (!same_line && token.kind == Kind::Scalar) {
                self.taken += 1;
                self.tokens.remove(1);
                self.fetch()?;
                while self.tokens.get(1).is_some_and(|token| token.kind == Kind::Comment) {
                    self.taken += 1;
                    self.tokens.remove(1);
                    self.fetch()?;
                }
                if let Some(token) = self.tokens.front_mut() {
                    token.add_comment_after();
                }
            }
        }
        self.taken += 1;
        self.tokens.pop_front().ok_or(Failure::Crash("AttributeError"))
    }

    /// Moves the comments of a taken token to the next one.
    pub(super) fn move_comments(&mut self, token: &mut Token) -> Result<()> {
        let target = self.peek()?;
        token.move_comments(target)
    }

    fn fill(&mut self) -> Result<()> {
        while self.needs_more()? {
            self.fetch()?;
        }
        Ok(())
    }

    fn needs_more(&mut self) -> Result<bool> {
        if self.done {
            return Ok(false);
        }
        if self.tokens.is_empty() {
            return Ok(true);
        }
        self.forget_stale_keys()?;
        Ok(self.simple_keys.values().map(|key| key.number).min() == Some(self.taken))
    }

    fn gather_comments(&mut self) -> Result<()> {
        let mut found = false;
        if self.tokens.front().is_some_and(|token| token.kind == Kind::Comment) {
            self.tokens.pop_front();
            self.taken += 1;
            found = true;
        }
        while self.needs_more()? {
            self.fetch()?;
            if self.tokens.front().is_some_and(|token| token.kind == Kind::Comment) {
                self.taken += 1;
                self.tokens.pop_front();
                found = true;
            }
        }
        if found {
            self.tokens.front_mut().ok_or(Failure::Crash("IndexError"))?.add_comments_before()?;
        }
        if !self.done && self.tokens.len() < 2 {
            self.fetch()?;
        }
        Ok(())
    }

    /// Scans the next tokens and adds them.
    fn fetch(&mut self) -> Result<()> {
        if let Some((start, end)) = self.skip_to_token() {
            self.tokens.push_back(Token::new(Kind::Comment, start, end));
            return Ok(());
        }
        self.forget_stale_keys()?;
        self.unwind_indent(Some(self.reader.column()));
        let c = self.reader.peek();
        let is_block = self.flow.is_empty();
        let before_word_end = ends_word(self.reader.peek_at(1));
        match c {
            '\0' => self.fetch_stream_end(),
            '%' if self.reader.column() == 0 => {
                self.unwind_indent(None);
                self.forget_key()?;
                self.allow_simple_key = false;
                let token = self.scan_directive()?;
                self.tokens.push_back(token);
                Ok(())
            }
            '-' | '.' if self.reader.column() == 0 && self.reader.is_document_indicator() => {
                self.unwind_indent(None);
                self.forget_key()?;
                self.allow_simple_key = false;
                self.push(if c == '-' { Kind::DocumentStart } else { Kind::DocumentEnd }, 3)
            }
            '[' | '{' => {
                self.save_key()?;
                self.flow.push(c);
                self.allow_simple_key = true;
                self.push(if c == '[' { Kind::FlowSequenceStart } else { Kind::FlowMappingStart }, 1)
            }
            ']' | '}' => {
                self.forget_key()?;
                self.flow.pop();
                self.allow_simple_key = false;
                self.push(if c == ']' { Kind::FlowSequenceEnd } else { Kind::FlowMappingEnd }, 1)
            }
            ',' => {
                self.allow_simple_key = true;
                self.forget_key()?;
                self.push(Kind::FlowEntry, 1)
            }
            '-' if before_word_end => self.fetch_block_entry(),
            '?' if !is_block || before_word_end => self.fetch_key(),
            ':' if self.is_value() => self.fetch_value(),
            '*' | '&' => {
                self.save_key()?;
                self.allow_simple_key = false;
                let token = self.scan_anchor()?;
                self.tokens.push_back(token);
                Ok(())
            }
            '!' => {
                self.save_key()?;
                self.allow_simple_key = false;
                let token = self.scan_tag()?;
                self.tokens.push_back(token);
                Ok(())
            }
            '|' | '>' if is_block => {
                self.allow_simple_key = true;
                self.forget_key()?;
                let token = self.scan_block_scalar(c)?;
                self.tokens.push_back(token);
                Ok(())
            }
            '\'' | '"' => {
                self.save_key()?;
                self.allow_simple_key = false;
                let token = self.scan_quoted(c)?;
                self.tokens.push_back(token);
                Ok(())
            }
            _ if self.is_plain() => {
                self.save_key()?;
                self.allow_simple_key = false;
                let token = self.scan_plain();
                self.tokens.push_back(token);
                Ok(())
            }
            _ => {
                let problem =
                    format!("found character {} that cannot start any token", quoted(&c.to_string()));
                let mark = self.reader.mark();
                Err(Failure::within("while scanning for the next token", None, problem, mark))
            }
        }
    }

    /// Adds a token of `length` characters.
    fn push(&mut self, kind: Kind, length: usize) -> Result<()> {
        let start = self.reader.mark();
        self.reader.forward(length);
        self.tokens.push_back(Token::new(kind, start, self.reader.mark()));
        Ok(())
    }

    fn fetch_stream_end(&mut self) -> Result<()> {
        self.unwind_indent(None);
        self.forget_key()?;
        self.allow_simple_key = false;
        self.simple_keys.clear();
        let mark = self.reader.mark();
        self.tokens.push_back(Token::new(Kind::StreamEnd, mark, mark));
        self.done = true;
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Result<()> {
        if self.flow.is_empty() {
            self.begin_block(Kind::BlockSequenceStart, "sequence entries are not allowed here")?;
        }
        self.allow_simple_key = true;
        self.forget_key()?;
        self.push(Kind::BlockEntry, 1)
    }

    fn fetch_key(&mut self) -> Result<()> {
        if self.flow.is_empty() {
            self.begin_block(Kind::BlockMappingStart, "mapping keys are not allowed here")?;
        }
        self.allow_simple_key = self.flow.is_empty();
        self.forget_key()?;
        self.push(Kind::Key, 1)
    }

    fn fetch_value(&mut self) -> Result<()> {
        if let Some(key) = self.simple_keys.remove(&self.flow.len()) {
            self.insert(key.number, Token::new(Kind::Key, key.mark, key.mark));
            if self.flow.is_empty() && self.add_indent(key.mark.column) {
                self.insert(key.number, Token::new(Kind::BlockMappingStart, key.mark, key.mark));
            }
            self.allow_simple_key = false;
        } else {
            if self.flow.is_empty() {
                self.begin_block(Kind::BlockMappingStart, "mapping values are not allowed here")?;
            }
            self.allow_simple_key = self.flow.is_empty();
            self.forget_key()?;
        }
        self.push(Kind::Value, 1)
    }

    /// Inserts a token before the one with this number. If comments between them were dropped, the
    /// reference miscounts, and so do we.
    fn insert(&mut self, number: usize, token: Token) {
        let at = match number.checked_sub(self.taken) {
            Some(at) => at.min(self.tokens.len()),
            None => self.tokens.len().saturating_sub(self.taken - number),
        };
        self.tokens.insert(at, token);
    }

    /// Begins a block collection in this column, unless one is open.
    fn begin_block(&mut self, kind: Kind, problem: &str) -> Result<()> {
        let mark = self.reader.mark();
        if !self.allow_simple_key {
            return Err(Failure::at(problem, mark));
        }
        if self.add_indent(mark.column) {
            self.tokens.push_back(Token::new(kind, mark, mark));
        }
        Ok(())
    }

    // --- simple keys and indentation ---

    fn forget_stale_keys(&mut self) -> Result<()> {
        let mark = self.reader.mark();
        let is_stale = |key: &SimpleKey| key.mark.line != mark.line || mark.index - key.mark.index > MOST_KEY;
        if let Some(key) = self.simple_keys.values().find(|key| is_stale(key) && key.required) {
            return Err(missing_colon(key, mark));
        }
        self.simple_keys.retain(|_, key| !is_stale(key));
        Ok(())
    }

    fn save_key(&mut self) -> Result<()> {
        let mark = self.reader.mark();
        if self.allow_simple_key {
            self.forget_key()?;
            let required = self.flow.is_empty() && self.indent == Some(mark.column);
            let number = self.taken + self.tokens.len();
            self.simple_keys.insert(self.flow.len(), SimpleKey { number, required, mark });
        }
        Ok(())
    }

    fn forget_key(&mut self) -> Result<()> {
        match self.simple_keys.remove(&self.flow.len()) {
            Some(key) if key.required => Err(missing_colon(&key, self.reader.mark())),
            _ => Ok(()),
        }
    }

    fn unwind_indent(&mut self, column: Option<usize>) {
        if !self.flow.is_empty() {
            return;
        }
        while self.indent > column {
            let mark = self.reader.mark();
            self.indent = self.indents.pop().flatten();
            self.tokens.push_back(Token::new(Kind::BlockEnd, mark, mark));
        }
    }

    fn add_indent(&mut self, column: usize) -> bool {
        let deeper = self.indent < Some(column);
        if deeper {
            self.indents.push(self.indent);
            self.indent = Some(column);
        }
        deeper
    }

    // --- tests for what begins here ---

    fn is_value(&self) -> bool {
        let ends = ends_word(self.reader.peek_at(1));
        match self.flow.last() {
            None | Some('[') => ends,
            Some(_) => ends || self.tokens.back().is_none_or(|token| token.kind != Kind::Value),
        }
    }

    fn is_plain(&self) -> bool {
        let next = self.reader.peek_at(1);
        match self.reader.peek() {
            ' ' | '\t' | ',' | '[' | ']' | '{' | '}' | '#' | '&' | '*' | '!' | '|' | '>' | '\'' | '"'
            | '%' | '@' | '`' => false,
            c if ends_line(c) => false,
            '-' => !ends_word(next),
            ':' if !self.flow.is_empty() => !matches!(next, ' ' | '\t'),
            '?' | ':' => self.flow.is_empty() && !ends_word(next),
            _ => true,
        }
    }

    /// Skips blanks. Returns the range of a comment or of empty lines, if there are any.
    pub(super) fn skip_to_token(&mut self) -> Option<(Mark, Mark)> {
        if self.reader.mark().index == 0 && self.reader.peek() == '\u{FEFF}' {
            self.reader.forward(1);
        }
        loop {
            while self.reader.peek() == ' ' {
                self.reader.forward(1);
            }
            if self.reader.peek() == '#' {
                let start = self.reader.mark();
                while !ends_line(self.reader.peek()) {
                    self.reader.forward(1);
                }
                if self.reader.peek() != '\0' {
                    self.reader.forward(1);
                }
                while self.reader.line_break().is_some() {}
                self.allow_simple_key |= self.flow.is_empty();
                return Some((start, self.reader.mark()));
            }
            self.reader.line_break()?;
            self.allow_simple_key |= self.flow.is_empty();
            if self.reader.peek() == '\n' {
                let start = self.reader.mark();
                loop {
                    match self.reader.peek() {
                        '\t' | ' ' => self.reader.forward(1),
                        _ if self.reader.line_break().is_none() => break,
                        _ => {}
                    }
                }
                return Some((start, self.reader.mark()));
            }
        }
    }
}

fn missing_colon(key: &SimpleKey, mark: Mark) -> Failure {
    Failure::within("while scanning a simple key", Some(key.mark), "could not find expected ':'", mark)
}
