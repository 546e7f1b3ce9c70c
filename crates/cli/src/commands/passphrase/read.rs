//! Reads a passphrase, from a person or from a script of theirs.
use std::io::{self, BufRead as _, Read as _};

use overt_operator::NotAnswerer;
use overt_state::passphrase::MOST_BYTES;

use super::hidden_line::{HiddenLine, read_hidden_line};
use crate::output::Printer;

/// Reads a passphrase that a person types.
pub(in crate::commands) fn read_passphrase(prompt: &str, printer: &Printer) -> Result<String, NotAnswerer> {
    match read_hidden_line(prompt, printer).map_err(NotAnswerer::Unread)? {
        HiddenLine::Typed(line) => Ok(line),
        HiddenLine::CalledOff => Err(NotAnswerer::CalledOff),
        HiddenLine::Interrupted => Err(NotAnswerer::Interrupted),
    }
}

/// Reads the passphrase that a script gives.
pub(in crate::commands) fn passphrase_from_stdin() -> Result<String, NotAnswerer> {
    first_line(&mut io::stdin().lock()).map_err(NotAnswerer::Unread)
}

fn first_line(input: &mut dyn io::BufRead) -> io::Result<String> {
    let mut line = String::new();
    // Read more bytes than a passphrase can have. If a longer line were cut to the limit, its
    // beginning could match the passphrase.
    input.take(MOST_BYTES as u64 + 2).read_line(&mut line)?;
    let line = line.strip_suffix('\n').map_or(line.as_str(), |line| line.strip_suffix('\r').unwrap_or(line));
    Ok(line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_is_the_passphrase() {
        let of = |text: &str| first_line(&mut text.as_bytes()).unwrap();
        assert_eq!(of("correct horse\nmore\n"), "correct horse");
        assert_eq!(of("correct horse\r\n"), "correct horse");
        assert_eq!(of(" with spaces "), " with spaces ");
        assert_eq!(of(""), "");
        assert!(of(&"x".repeat(MOST_BYTES + 9)).len() > MOST_BYTES);
    }
}
