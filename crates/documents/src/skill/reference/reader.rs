//! Reads the characters of the front matter in order, with the current place.
use super::failure::{Failure, Mark, Result};

/// The text, terminated by NUL as in the reference.
#[derive(Debug)]
pub(super) struct Reader {
    text: Vec<char>,
    mark: Mark,
}

impl Reader {
    /// Creates a reader. Rejects characters at which the reference ends with an `AttributeError`.
    pub(super) fn new(text: &str) -> Result<Self> {
        let printable = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{A0}'..='\u{FFFD}' | '\u{10000}'..);
        if !text.chars().all(printable) {
            return Err(Failure::Crash("AttributeError"));
        }
        let text = text.chars().chain(['\0']).collect();
        Ok(Self { text, mark: Mark { index: 0, line: 0, column: 0 } })
    }

    pub(super) fn text(&self) -> &[char] {
        &self.text
    }

    pub(super) fn mark(&self) -> Mark {
        self.mark
    }

    pub(super) fn column(&self) -> usize {
        self.mark.column
    }

    pub(super) fn peek(&self) -> char {
        self.peek_at(0)
    }

    /// Returns the character `ahead` places ahead, or NUL at the end and beyond.
    pub(super) fn peek_at(&self, ahead: usize) -> char {
        self.text.get(self.mark.index + ahead).copied().unwrap_or('\0')
    }

    pub(super) fn forward(&mut self, count: usize) {
        for _ in 0..count {
            let c = self.peek();
            self.mark.index += 1;
            if c == '\n' || (c == '\r' && self.peek() != '\n') {
                self.mark.line += 1;
                self.mark.column = 0;
            } else if c != '\u{FEFF}' {
                self.mark.column += 1;
            }
        }
    }

    /// Takes `count` characters.
    pub(super) fn take(&mut self, count: usize) -> String {
        let end = (self.mark.index + count).min(self.text.len());
        let taken = self.text[self.mark.index..end].iter().collect();
        self.forward(count);
        taken
    }

    /// Takes characters while the test holds.
    pub(super) fn take_while(&mut self, test: impl Fn(char) -> bool) -> String {
        let mut count = 0;
        while self.peek_at(count) != '\0' && test(self.peek_at(count)) {
            count += 1;
        }
        self.take(count)
    }

    /// Takes a line break in its normal form, if there is one here.
    pub(super) fn line_break(&mut self) -> Option<char> {
        match self.peek() {
            '\r' if self.peek_at(1) == '\n' => {
                self.forward(2);
                Some('\n')
            }
            '\r' | '\n' | '\u{85}' => {
                self.forward(1);
                Some('\n')
            }
            c @ ('\u{2028}' | '\u{2029}') => {
                self.forward(1);
                Some(c)
            }
            _ => None,
        }
    }

    /// Returns whether three hyphens or dots that form a word of their own begin here.
    pub(super) fn is_document_indicator(&self) -> bool {
        let first = self.peek();
        matches!(first, '-' | '.')
            && self.peek_at(1) == first
            && self.peek_at(2) == first
            && ends_word(self.peek_at(3))
    }
}

/// Returns whether this is a line break or the end of the text.
pub(super) fn ends_line(c: char) -> bool {
    matches!(c, '\0') || is_break(c)
}

/// Returns whether this is a line break, a blank, or the end of the text.
pub(super) fn ends_word(c: char) -> bool {
    matches!(c, ' ' | '\t') || ends_line(c)
}

pub(super) fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}
