//! Scans directives, anchors and tags. The reference rejects them all, but reads them first.
use super::failure::{Failure, Mark, Result};
use super::reader::{ends_line, ends_word};
use super::scanner::Scanner;
use super::token::{Kind, Token};

const DIRECTIVE: &str = "while scanning a directive";

impl Scanner {
    /// Scans a directive: `YAML` with its version, `TAG` with its handle, or any other.
    pub(super) fn scan_directive(&mut self) -> Result<Token> {
        let start = self.reader.mark();
        self.reader.forward(1);
        let name = self.directive_name(start)?;
        let (text, end) = match name.as_str() {
            "YAML" => {
                self.reader.take_while(|c| c == ' ');
                let major = self.version_number(start)?;
                self.expect('.', "expected a digit or '.'", start)?;
                self.reader.forward(1);
                let minor = self.version_number(start)?;
                self.expect_end("expected a digit or ' '", start)?;
                (format!("YAML {major}.{minor}"), self.reader.mark())
            }
            "TAG" => {
                self.reader.take_while(|c| c == ' ');
                let handle = self.tag_handle("directive", start)?;
                self.expect(' ', "expected ' '", start)?;
                self.reader.take_while(|c| c == ' ');
                self.tag_uri("directive", start)?;
                self.expect_end("expected ' '", start)?;
                (format!("TAG {handle}"), self.reader.mark())
            }
            _ => {
                let end = self.reader.mark();
                self.reader.take_while(|c| !ends_line(c));
                (String::new(), end)
            }
        };
        self.reader.take_while(|c| c == ' ');
        if self.reader.peek() == '#' {
            self.reader.take_while(|c| !ends_line(c));
        }
        let c = self.reader.peek();
        if !ends_line(c) {
            let expected = "expected a comment or a line break";
            return Err(Failure::expected(DIRECTIVE, start, expected, c, self.reader.mark()));
        }
        self.reader.line_break();
        Ok(Token::with_text(Kind::Directive, text, start, end))
    }

    fn directive_name(&mut self, start: Mark) -> Result<String> {
        const EXPECTED: &str = "expected alphabetic or numeric character";
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
        if !is_name(self.reader.peek()) {
            let (c, mark) = (self.reader.peek(), self.reader.mark());
            return Err(Failure::expected(DIRECTIVE, start, EXPECTED, c, mark));
        }
        let name = self.reader.take_while(is_name);
        self.expect_end(EXPECTED, start)?;
        Ok(name)
    }

    fn version_number(&mut self, start: Mark) -> Result<String> {
        if !self.reader.peek().is_ascii_digit() {
            let (c, mark) = (self.reader.peek(), self.reader.mark());
            return Err(Failure::expected(DIRECTIVE, start, "expected a digit", c, mark));
        }
        Ok(self.reader.take_while(|c| c.is_ascii_digit()))
    }

    fn expect(&mut self, wanted: char, expected: &str, start: Mark) -> Result<()> {
        match self.reader.peek() {
            c if c == wanted => Ok(()),
            c => Err(Failure::expected(DIRECTIVE, start, expected, c, self.reader.mark())),
        }
    }

    fn expect_end(&mut self, expected: &str, start: Mark) -> Result<()> {
        match self.reader.peek() {
            c if c == ' ' || ends_line(c) => Ok(()),
            c => Err(Failure::expected(DIRECTIVE, start, expected, c, self.reader.mark())),
        }
    }

    /// Scans an alias or an anchor.
    pub(super) fn scan_anchor(&mut self) -> Result<Token> {
        const EXPECTED: &str = "expected alphabetic or numeric character";
        let start = self.reader.mark();
        let (kind, context) = match self.reader.peek() {
            '*' => (Kind::Alias, "while scanning an alias"),
            _ => (Kind::Anchor, "while scanning an anchor"),
        };
        self.reader.forward(1);
        let is_name = |c: char| match c {
            ',' | '[' | ']' | '{' | '}' | '\u{FEFF}' => false,
            '!'..='~' | '\u{A0}'..='\u{FFFD}' | '\u{10000}'.. => true,
            _ => false,
        };
        let name = self.reader.take_while(is_name);
        let (c, mark) = (self.reader.peek(), self.reader.mark());
        let may_follow =
            ends_word(c) || matches!(c, '?' | ':' | ',' | '[' | ']' | '{' | '}' | '%' | '@' | '`');
        if name.is_empty() || !may_follow {
            return Err(Failure::expected(context, start, EXPECTED, c, mark));
        }
        Ok(Token::with_text(kind, name, start, mark))
    }

    pub(super) fn scan_tag(&mut self) -> Result<Token> {
        let start = self.reader.mark();
        match self.reader.peek_at(1) {
            '<' => {
                self.reader.forward(2);
                self.tag_uri("tag", start)?;
                if self.reader.peek() != '>' {
                    let (c, mark) = (self.reader.peek(), self.reader.mark());
                    return Err(Failure::expected("while parsing a tag", start, "expected '>'", c, mark));
                }
                self.reader.forward(1);
            }
            c if ends_word(c) => self.reader.forward(1),
            _ => {
                let mut length = 1;
                while !matches!(self.reader.peek_at(length), '!' | ' ')
                    && !ends_line(self.reader.peek_at(length))
                {
                    length += 1;
                }
                if self.reader.peek_at(length) == '!' {
                    self.tag_handle("tag", start)?;
                } else {
                    self.reader.forward(1);
                }
                self.tag_uri("tag", start)?;
            }
        }
        let c = self.reader.peek();
        if c != ' ' && !ends_line(c) {
            let mark = self.reader.mark();
            return Err(Failure::expected("while scanning a tag", start, "expected ' '", c, mark));
        }
        Ok(Token::new(Kind::Tag, start, self.reader.mark()))
    }

    fn tag_handle(&mut self, name: &str, start: Mark) -> Result<String> {
        let context = format!("while scanning a {name}");
        if self.reader.peek() != '!' {
            let (c, mark) = (self.reader.peek(), self.reader.mark());
            return Err(Failure::expected(&context, start, "expected '!'", c, mark));
        }
        let mut length = 1;
        if self.reader.peek_at(1) != ' ' {
            let is_handle = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            while is_handle(self.reader.peek_at(length)) {
                length += 1;
            }
            let c = self.reader.peek_at(length);
            if c != '!' {
                self.reader.forward(length);
                let mark = self.reader.mark();
                return Err(Failure::expected(&context, start, "expected '!'", c, mark));
            }
            length += 1;
        }
        Ok(self.reader.take(length))
    }

    fn tag_uri(&mut self, name: &str, start: Mark) -> Result<()> {
        let is_uri = |c: char| c.is_ascii_alphanumeric() || "-;/?:@&=+$,_.!~*'()[]#".contains(c);
        let mut any = false;
        loop {
            any |= !self.reader.take_while(is_uri).is_empty();
            if self.reader.peek() != '%' {
                break;
            }
            any = true;
            self.uri_escapes(name, start)?;
        }
        if !any {
            let (c, mark) = (self.reader.peek(), self.reader.mark());
            let context = format!("while parsing a {name}");
            return Err(Failure::expected(&context, start, "expected URI", c, mark));
        }
        Ok(())
    }

    fn uri_escapes(&mut self, name: &str, start: Mark) -> Result<()> {
        let context = format!("while scanning a {name}");
        let first = self.reader.mark();
        let mut bytes = Vec::new();
        while self.reader.peek() == '%' {
            self.reader.forward(1);
            let digits = [self.reader.peek(), self.reader.peek_at(1)];
            if let Some(wrong) = digits.iter().find(|digit| !digit.is_ascii_hexdigit()) {
                let expected = "expected URI escape sequence of 2 hexdecimal numbers";
                return Err(Failure::expected(&context, start, expected, *wrong, self.reader.mark()));
            }
            bytes.extend(u8::from_str_radix(&self.reader.take(2), 16));
        }
        match std::str::from_utf8(&bytes) {
            Ok(_) => Ok(()),
            Err(error) => {
                let problem = undecodable(&bytes, error);
                Err(Failure::within(context, Some(start), problem, first))
            }
        }
    }
}

/// Returns Python's message for bytes that are not UTF-8.
fn undecodable(bytes: &[u8], error: std::str::Utf8Error) -> String {
    let at = error.valid_up_to();
    let byte = bytes.get(at).copied().unwrap_or_default();
    let length = error.error_len().unwrap_or(bytes.len() - at);
    let reason = match (error.error_len(), byte) {
        (None, _) => "unexpected end of data",
        (_, 0x80..=0xC1 | 0xF5..) => "invalid start byte",
        _ => "invalid continuation byte",
    };
    if length > 1 {
        format!("'utf-8' codec can't decode bytes in position {at}-{}: {reason}", at + length - 1)
    } else {
        format!("'utf-8' codec can't decode byte 0x{byte:02x} in position {at}: {reason}")
    }
}
