//! Reads a line from the terminal without showing it.
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read as _};

use overt_state::passphrase::MOST_BYTES;
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};

use crate::output::Printer;

/// The keys that end or change the line.
const CTRL_C: u8 = 0x03;
const CTRL_D: u8 = 0x04;
const BACKSPACE: u8 = 0x08;
const CTRL_U: u8 = 0x15;
const DELETE: u8 = 0x7f;

/// Puts the terminal back as it was.
struct Restore<'a> {
    terminal: &'a File,
    before: Termios,
}

impl Drop for Restore<'_> {
    fn drop(&mut self) {
        let _ = tcsetattr(self.terminal, OptionalActions::Flush, &self.before);
    }
}

/// None if the person called it off. Ctrl-C is read like any other key, so that it can't leave the
/// terminal silent.
///
/// Turns the echo off before it shows the prompt, so that keys typed at once are neither shown nor
/// lost.
pub(super) fn read_hidden_line(prompt: &str, printer: &Printer) -> io::Result<Option<String>> {
    let terminal = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
    let before = tcgetattr(&terminal)?;
    let mut hidden = before.clone();
    hidden.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG | LocalModes::IEXTEN);
    hidden.special_codes[SpecialCodeIndex::VMIN] = 1;
    hidden.special_codes[SpecialCodeIndex::VTIME] = 0;
    tcsetattr(&terminal, OptionalActions::Flush, &hidden)?;
    let restore = Restore { terminal: &terminal, before };
    printer.prompt(prompt);
    let typed = read_keys(&mut BufReader::new(restore.terminal).bytes());
    drop(restore);
    printer.prompt("\n");
    typed
}

fn read_keys(keys: &mut dyn Iterator<Item = io::Result<u8>>) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    for key in keys {
        match key? {
            b'\r' | b'\n' => return Ok(Some(String::from_utf8_lossy(&line).into_owned())),
            CTRL_C | CTRL_D => return Ok(None),
            CTRL_U => line.clear(),
            // A character can have several bytes.
            BACKSPACE | DELETE => while line.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {},
            byte if line.len() <= MOST_BYTES => line.push(byte),
            _ => {}
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_make_a_line() {
        let of = |text: &str| read_keys(&mut text.bytes().map(Ok)).unwrap();
        assert_eq!(of("correct horse\r").as_deref(), Some("correct horse"));
        assert_eq!(of("abé\u{7f}c\n").as_deref(), Some("abc"));
        assert_eq!(of("\u{7f}\u{7f}wrong\u{15}right\n").as_deref(), Some("right"));
        assert_eq!(of("abc\u{3}"), None);
        assert_eq!(of("abc"), None, "the terminal is gone");
        assert_eq!(
            of(&format!("{}\n", "x".repeat(5000))).unwrap().len(),
            MOST_BYTES + 1,
            "too long is not cut short"
        );
    }
}
