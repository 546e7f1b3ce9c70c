//! Questions at the terminal, one line each.
use std::io::{BufRead as _, Read as _};

use crate::output::Printer;

/// The person at the terminal.
#[derive(Debug)]
pub(super) struct Prompter<'a> {
    printer: &'a Printer,
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

    /// Yes or no; Enter is yes, and the end of input is no.
    pub(super) fn confirm(&self, question: &str) -> bool {
        loop {
            let answer = self.ask(&format!("{question} [Y/n] "));
            match answer.map(|answer| answer.to_lowercase()).as_deref() {
                Some("" | "y" | "yes") => return true,
                None | Some("n" | "no" | "q") => return false,
                Some(_) => {}
            }
        }
    }
}
