//! Scans scalars: block, quoted and plain.
use super::failure::{Failure, Mark, Result};
use super::reader::{ends_line, ends_word, is_break};
use super::scanner::Scanner;
use super::token::{Kind, Token};
use super::unicode::quoted;

/// The treatment of line breaks at the end of a block scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chomping {
    Clip,
    Strip,
    Keep,
}

impl Scanner {
    pub(super) fn scan_block_scalar(&mut self, style: char) -> Result<Token> {
        let start = self.reader.mark();
        self.reader.forward(1);
        let (chomping, increment) = self.block_scalar_header(start)?;
        let has_comment = self.end_of_header(start)?;
        let least_indent = self.indent.map_or(0, |indent| indent + 1);
        let (indent, mut breaks, mut end);
        match increment {
            None => {
                let deepest;
                (breaks, deepest, end) = self.leading_breaks();
                indent = least_indent.max(deepest);
            }
            Some(increment) => {
                indent = least_indent.max(1) + increment - 1;
                (breaks, end) = self.breaks_before(indent);
            }
        }
        let least_indent = if increment.is_some() { least_indent.max(1) } else { least_indent };
        let mut text = String::new();
        let mut line_break = None;
        while self.reader.column() == indent && self.reader.peek() != '\0' {
            text.extend(&breaks);
            let is_text = |c: char| !matches!(c, ' ' | '\t');
            let begins_with_text = is_text(self.reader.peek());
            text.push_str(&self.reader.take_while(|c| !ends_line(c)));
            line_break = self.reader.line_break();
            (breaks, end) = self.breaks_before(indent);
            if least_indent == 0 && self.reader.column() == 0 && self.reader.is_document_indicator() {
                break;
            }
            if self.reader.column() != indent || self.reader.peek() == '\0' {
                break;
            }
            if style == '>' && line_break == Some('\n') && begins_with_text && is_text(self.reader.peek()) {
                if breaks.is_empty() {
                    text.push(' ');
                }
            } else {
                text.extend(line_break);
            }
        }
        if chomping != Chomping::Strip {
            text.extend(line_break);
        }
        let trailing = if chomping == Chomping::Keep {
            text.extend(&breaks);
            false
        } else {
            !breaks.is_empty()
        };
        let mut token = Token::with_text(Kind::Scalar, text, start, end);
        if has_comment {
            token.add_comments_before()?;
        }
        if trailing {
            while self.skip_to_token().is_some() {}
            token.add_comment_after();
        }
        Ok(token)
    }

    fn block_scalar_header(&mut self, start: Mark) -> Result<(Chomping, Option<usize>)> {
        let mut chomping = self.chomping();
        let mut increment = None;
        if let Some(digit) = self.reader.peek().to_digit(10) {
            if digit == 0 {
                let problem = "expected indentation indicator in the range 1-9, but found 0";
                let mark = self.reader.mark();
                return Err(Failure::within("while scanning a block scalar", Some(start), problem, mark));
            }
            increment = usize::try_from(digit).ok();
            self.reader.forward(1);
            if chomping.is_none() {
                chomping = self.chomping();
            }
        }
        let c = self.reader.peek();
        if c != ' ' && !ends_line(c) {
            let expected = "expected chomping or indentation indicators";
            let mark = self.reader.mark();
            return Err(Failure::expected("while scanning a block scalar", start, expected, c, mark));
        }
        Ok((chomping.unwrap_or(Chomping::Clip), increment))
    }

    fn chomping(&mut self) -> Option<Chomping> {
        let chomping = match self.reader.peek() {
            '+' => Chomping::Keep,
            '-' => Chomping::Strip,
            _ => return None,
        };
        self.reader.forward(1);
        Some(chomping)
    }

    /// Reads the rest of the line that begins a block scalar. Returns whether it has a comment.
    fn end_of_header(&mut self, start: Mark) -> Result<bool> {
        self.reader.take_while(|c| c == ' ');
        let has_comment = self.reader.peek() == '#';
        if has_comment {
            self.reader.take_while(|c| !ends_line(c));
        }
        let c = self.reader.peek();
        if !ends_line(c) {
            let expected = "expected a comment or a line break";
            let mark = self.reader.mark();
            return Err(Failure::expected("while scanning a block scalar", start, expected, c, mark));
        }
        self.reader.line_break();
        Ok(has_comment)
    }

    /// Returns the empty lines before the first one with text, and their greatest column.
    fn leading_breaks(&mut self) -> (Vec<char>, usize, Mark) {
        let (mut breaks, mut deepest, mut end) = (Vec::new(), 0, self.reader.mark());
        loop {
            if self.reader.peek() == ' ' {
                self.reader.forward(1);
                deepest = deepest.max(self.reader.column());
            } else if let Some(line_break) = self.reader.line_break() {
                breaks.push(line_break);
                end = self.reader.mark();
            } else {
                return (breaks, deepest, end);
            }
        }
    }

    fn breaks_before(&mut self, indent: usize) -> (Vec<char>, Mark) {
        let (mut breaks, mut end) = (Vec::new(), self.reader.mark());
        loop {
            while self.reader.column() < indent && self.reader.peek() == ' ' {
                self.reader.forward(1);
            }
            let Some(line_break) = self.reader.line_break() else { return (breaks, end) };
            breaks.push(line_break);
            end = self.reader.mark();
        }
    }

    pub(super) fn scan_quoted(&mut self, quote: char) -> Result<Token> {
        let start = self.reader.mark();
        self.reader.forward(1);
        let mut text = String::new();
        self.quoted_text(quote, start, &mut text)?;
        while self.reader.peek() != quote {
            self.quoted_blanks(start, &mut text)?;
            self.quoted_text(quote, start, &mut text)?;
        }
        self.reader.forward(1);
        Ok(Token::with_text(Kind::Scalar, text, start, self.reader.mark()))
    }

    fn quoted_text(&mut self, quote: char, start: Mark, text: &mut String) -> Result<()> {
        loop {
            text.push_str(
                &self.reader.take_while(|c| !matches!(c, ' ' | '\t' | '\'' | '"' | '\\') && !is_break(c)),
            );
            match self.reader.peek() {
                '\'' if quote == '\'' && self.reader.peek_at(1) == '\'' => {
                    text.push('\'');
                    self.reader.forward(2);
                }
                '\\' if quote == '"' => {
                    self.reader.forward(1);
                    self.escape(start, text)?;
                }
                c @ ('\'' | '"' | '\\') if c != quote => {
                    text.push(c);
                    self.reader.forward(1);
                }
                _ => return Ok(()),
            }
        }
    }

    /// Reads the escape after a backslash.
    fn escape(&mut self, start: Mark, text: &mut String) -> Result<()> {
        const CONTEXT: &str = "while scanning a double-quoted scalar";
        let c = self.reader.peek();
        let replacement = match c {
            '0' => '\0',
            'a' => '\u{7}',
            'b' => '\u{8}',
            't' | '\t' => '\t',
            'n' => '\n',
            'v' => '\u{B}',
            'f' => '\u{C}',
            'r' => '\r',
            'e' => '\u{1B}',
            ' ' | '"' | '/' | '\\' => c,
            'N' => '\u{85}',
            '_' => '\u{A0}',
            'L' => '\u{2028}',
            'P' => '\u{2029}',
            'x' | 'u' | 'U' => {
                self.reader.forward(1);
                let length = match c {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                let digits: Vec<char> = (0..length).map(|at| self.reader.peek_at(at)).collect();
                if let Some(wrong) = digits.iter().find(|digit| !digit.is_ascii_hexdigit()) {
                    let expected = format!("expected escape sequence of {length} hexdecimal numbers");
                    return Err(Failure::expected(CONTEXT, start, &expected, *wrong, self.reader.mark()));
                }
                let code = u32::from_str_radix(&self.reader.take(length), 16).unwrap_or(u32::MAX);
                if code > u32::from(char::MAX) {
                    return Err(Failure::Crash("ValueError"));
                }
                // Python has surrogates as single characters; each counts as one character here
                // too.
                text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                return Ok(());
            }
            _ if is_break(c) => {
                self.reader.line_break();
                return self.quoted_breaks(start, text).map(|_| ());
            }
            _ => {
                let problem = format!("found unknown escape character {}", quoted(&c.to_string()));
                return Err(Failure::within(CONTEXT, Some(start), problem, self.reader.mark()));
            }
        };
        text.push(replacement);
        self.reader.forward(1);
        Ok(())
    }

    fn quoted_blanks(&mut self, start: Mark, text: &mut String) -> Result<()> {
        let blanks = self.reader.take_while(|c| matches!(c, ' ' | '\t'));
        if self.reader.peek() == '\0' {
            let problem = "found unexpected end of stream";
            let mark = self.reader.mark();
            return Err(Failure::within("while scanning a quoted scalar", Some(start), problem, mark));
        }
        let Some(line_break) = self.reader.line_break() else {
            text.push_str(&blanks);
            return Ok(());
        };
        let mut breaks = String::new();
        let any = self.quoted_breaks(start, &mut breaks)?;
        if line_break != '\n' {
            text.push(line_break);
        } else if !any {
            text.push(' ');
        }
        text.push_str(&breaks);
        Ok(())
    }

    /// Reads further line breaks in quotes. Returns whether there are any.
    fn quoted_breaks(&mut self, start: Mark, text: &mut String) -> Result<bool> {
        let mut any = false;
        loop {
            if self.reader.is_document_indicator() {
                let problem = "found unexpected document separator";
                let mark = self.reader.mark();
                return Err(Failure::within("while scanning a quoted scalar", Some(start), problem, mark));
            }
            self.reader.take_while(|c| matches!(c, ' ' | '\t'));
            let Some(line_break) = self.reader.line_break() else { return Ok(any) };
            text.push(line_break);
            any = true;
        }
    }

    pub(super) fn scan_plain(&mut self) -> Token {
        let start = self.reader.mark();
        let mut end = start;
        let indent = self.indent.map_or(0, |indent| indent + 1);
        let (mut text, mut blanks) = (String::new(), String::new());
        while self.reader.peek() != '#' {
            let length = self.plain_length();
            if length == 0 {
                break;
            }
            self.allow_simple_key = false;
            text.push_str(&blanks);
            text.push_str(&self.reader.take(length));
            end = self.reader.mark();
            blanks = self.plain_blanks();
            let ends_block = self.flow.is_empty() && self.reader.column() < indent;
            if blanks.is_empty() || self.reader.peek() == '#' || ends_block {
                break;
            }
        }
        let mut token = Token { plain: true, ..Token::with_text(Kind::Scalar, text, start, end) };
        if blanks.starts_with('\n') {
            token.add_comment_after();
        }
        token
    }

    /// Returns the number of characters up to the next blank or the end of the plain scalar.
    fn plain_length(&self) -> usize {
        let is_flow = !self.flow.is_empty();
        let mut length = 0;
        loop {
            let c = self.reader.peek_at(length);
            let ends = match c {
                ':' => ends_word(self.reader.peek_at(length + 1)),
                ',' | '[' | ']' | '{' | '}' => is_flow,
                _ => ends_word(c),
            };
            if ends {
                return length;
            }
            length += 1;
        }
    }

    /// Returns the blanks and line breaks inside a plain scalar, folded.
    fn plain_blanks(&mut self) -> String {
        let blanks = self.reader.take_while(|c| c == ' ');
        let Some(line_break) = self.reader.line_break() else { return blanks };
        self.allow_simple_key = true;
        if self.reader.is_document_indicator() {
            return String::new();
        }
        let mut breaks = String::new();
        loop {
            if self.reader.peek() == ' ' {
                self.reader.forward(1);
            } else if let Some(line_break) = self.reader.line_break() {
                breaks.push(line_break);
                if self.reader.is_document_indicator() {
                    return String::new();
                }
            } else {
                break;
            }
        }
        match line_break {
            '\n' if breaks.is_empty() => " ".to_owned(),
            '\n' => breaks,
            other => format!("{other}{breaks}"),
        }
    }
}
