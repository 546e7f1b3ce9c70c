//! Reads a line from the terminal without showing it.
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read as _};

use overt_state::passphrase::MOST_BYTES;
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};

use crate::commands::signals::read_unless_interrupted;
use crate::output::Printer;

/// Keys that end or edit the line.
const CTRL_C: u8 = 0x03;
const CTRL_D: u8 = 0x04;
const BACKSPACE: u8 = 0x08;
const CTRL_U: u8 = 0x15;
const DELETE: u8 = 0x7f;

/// How a hidden line ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HiddenLine {
    Typed(String),
    /// Ctrl-D, or the terminal was closed.
    CalledOff,
    /// Ctrl-C, or a signal that asked the program to end.
    Interrupted,
}

/// Restores the terminal's modes when dropped.
struct Restore<'a> {
    terminal: &'a File,
    before: Termios,
}

impl Drop for Restore<'_> {
    fn drop(&mut self) {
        let _ = tcsetattr(self.terminal, OptionalActions::Flush, &self.before);
    }
}

/// Reads a line without showing it. Ctrl-C is read like any other key, and signals are handled, so
/// that neither leaves the terminal without echo.
///
/// Turns the echo off before it shows the prompt, so that keys typed at once are neither shown nor
/// lost.
pub(super) fn read_hidden_line(prompt: &str, printer: &Printer) -> io::Result<HiddenLine> {
    let terminal = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
    let before = tcgetattr(&terminal)?;
    let mut hidden = before.clone();
    hidden.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG | LocalModes::IEXTEN);
    hidden.special_codes[SpecialCodeIndex::VMIN] = 1;
    hidden.special_codes[SpecialCodeIndex::VTIME] = 0;
    tcsetattr(&terminal, OptionalActions::Flush, &hidden)?;
    let restore = Restore { terminal: &terminal, before };
    let keys = terminal.try_clone()?;
    let read = move || read_keys(&mut BufReader::new(keys).bytes());
    let typed = read_unless_interrupted(|| printer.prompt(prompt), read);
    drop(restore);
    printer.prompt("\n");
    Ok(typed?.unwrap_or(HiddenLine::Interrupted))
}

fn read_keys(keys: &mut dyn Iterator<Item = io::Result<u8>>) -> io::Result<HiddenLine> {
    let mut line = Vec::new();
    for key in keys {
        match key? {
            b'\r' | b'\n' => return Ok(HiddenLine::Typed(String::from_utf8_lossy(&line).into_owned())),
            CTRL_C => return Ok(HiddenLine::Interrupted),
            CTRL_D => return Ok(HiddenLine::CalledOff),
            CTRL_U => line.clear(),
            // A character can have several bytes, so remove its continuation bytes too.
            BACKSPACE | DELETE => while line.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {},
            byte if line.len() <= MOST_BYTES => line.push(byte),
            _ => {}
        }
    }
    Ok(HiddenLine::CalledOff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_make_a_line() {
        let of = |text: &str| read_keys(&mut text.bytes().map(Ok)).unwrap();
        let typed = |line: &str| HiddenLine::Typed(line.to_owned());
        assert_eq!(of("correct horse\r"), typed("correct horse"));
        assert_eq!(of("abé\u{7f}c\n"), typed("abc"));
        assert_eq!(of("\u{7f}\u{7f}wrong\u{15}right\n"), typed("right"));
        assert_eq!(of("abc\u{3}"), HiddenLine::Interrupted);
        assert_eq!(of("abc\u{4}"), HiddenLine::CalledOff);
        assert_eq!(of("abc"), HiddenLine::CalledOff, "the terminal is gone");
        let too_long = of(&format!("{}\n", "x".repeat(5000)));
        assert_eq!(too_long, typed(&"x".repeat(MOST_BYTES + 1)), "too long is not cut short");
    }
}
