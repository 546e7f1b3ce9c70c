//! Questions at the terminal, one line each.
use std::io::{BufRead as _, Read as _};

use super::signals::{interrupted, read_unless_interrupted};
use crate::error::CommandError;
use crate::output::Printer;

/// Asks questions of the person at the terminal.
#[derive(Debug)]
pub(super) struct Prompter<'a> {
    printer: &'a Printer,
}

/// The answer that Enter alone gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnEnter {
    Yes,
    No,
}

/// The most bytes of a line that are read.
const LONGEST_LINE: u64 = 4 << 10;

impl<'a> Prompter<'a> {
    pub(super) fn new(printer: &'a Printer) -> Self {
        Self { printer }
    }

    pub(super) fn say(&self, text: &str) {
        self.printer.prompt(text);
    }

    /// Returns the next line without its end, or `None` at the end of input.
    pub(super) fn ask(&self, text: &str) -> Result<Option<String>, CommandError> {
        let read = || {
            let mut line = Vec::new();
            let count = std::io::stdin().lock().take(LONGEST_LINE).read_until(b'\n', &mut line)?;
            Ok((count > 0).then(|| String::from_utf8_lossy(&line).trim().to_owned()))
        };
        match read_unless_interrupted(|| self.printer.prompt(text), read) {
            Ok(Some(line)) => Ok(line),
            Ok(None) => {
                // The terminal showed `^C` on the line of the question, so end that line.
                self.printer.prompt("\n");
                Err(interrupted())
            }
            Err(_) => Ok(None),
        }
    }

    /// Asks until the answer is yes or no. The end of input means no.
    pub(super) fn confirm(&self, question: &str, on_enter: OnEnter) -> Result<bool, CommandError> {
        let choices = match on_enter {
            OnEnter::Yes => "[Y/n]",
            OnEnter::No => "[y/N]",
        };
        loop {
            let answer = self.ask(&format!("{question} {choices} "))?;
            match answer.map(|answer| answer.to_lowercase()).as_deref() {
                Some("") => return Ok(on_enter == OnEnter::Yes),
                Some("y" | "yes") => return Ok(true),
                None | Some("n" | "no" | "q") => return Ok(false),
                Some(_) => {}
            }
        }
    }
}
