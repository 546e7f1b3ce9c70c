//! Questions at the terminal, one line each.
use std::io::{BufRead as _, Read as _};

use crate::output::Printer;

/// The person at the terminal.
#[derive(Debug)]
pub(super) struct Prompter<'a> {
    printer: &'a Printer,
}

/// What Enter alone means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnEnter {
    Yes,
    No,
}

/// The longest line that is read.
const LONGEST_LINE: u64 = 4 << 10;

impl<'a> Prompter<'a> {
    pub(super) fn new(printer: &'a Printer) -> Self {
        Self { printer }
    }

    pub(super) fn say(&self, text: &str) {
        self.printer.prompt(text);
    }

    /// The next line without its end; none when there will be no more.
    pub(super) fn ask(&self, text: &str) -> Option<String> {
        self.printer.prompt(text);
        let mut line = Vec::new();
        let stdin = std::io::stdin().lock();
        match stdin.take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(1..) => Some(String::from_utf8_lossy(&line).trim().to_owned()),
            _ => None,
        }
    }

    /// Asks until the answer is yes or no. The end of input is no.
    pub(super) fn confirm(&self, question: &str, on_enter: OnEnter) -> bool {
        let choices = match on_enter {
            OnEnter::Yes => "[Y/n]",
            OnEnter::No => "[y/N]",
        };
        loop {
            let answer = self.ask(&format!("{question} {choices} "));
            match answer.map(|answer| answer.to_lowercase()).as_deref() {
                Some("") => return on_enter == OnEnter::Yes,
                Some("y" | "yes") => return true,
                None | Some("n" | "no" | "q") => return false,
                Some(_) => {}
            }
        }
    }
}
