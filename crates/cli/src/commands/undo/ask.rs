//! A question at the terminal.
use std::io::BufRead as _;

use crate::output::Printer;

/// Whether the person says yes. Anything else is a no.
pub(super) fn confirm(question: &str, printer: &Printer) -> bool {
    printer.prompt(&format!("{question} [y/N] "));
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}
