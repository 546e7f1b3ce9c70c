//! The files: 20,000 small texts (20 x 20 folders of 50), 16 of 1 MiB, 5 of 10 MiB, and 64 of 64
//! KiB for edits. They are always the same.

use std::fs;
use std::io;
use std::path::Path;

/// A text that is in 40 files, 2 of them in `d00`.
pub(crate) const NEEDLE: &str = "needle_xyzzy_42";
const BEFORE: &str = "MARKER_ALPHA_VALUE";
const AFTER: &str = "MARKER_OMEGA_VALUE";
const EDITED: u64 = 64;
const LARGE: u64 = 16;

/// The content of the stamp of a complete folder. It is written last.
const MADE: &str = "20085 files, 2";

const WORDS: &[&str] = &[
    "alpha", "server", "request", "file", "tool", "policy", "gateway", "index", "value", "stream", "token",
    "buffer", "thread", "closure", "memory", "latency", "the", "of", "and", "to", "in", "is", "for", "that",
    "with", "on", "as", "session", "client", "protocol", "message", "error", "result", "schema", "root",
    "path", "glob", "search", "edit",
];

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn text(&mut self, size: usize) -> String {
        let mut text = String::with_capacity(size + 16);
        let mut column = 0;
        while text.len() < size {
            let word = WORDS[self.below(WORDS.len() as u64) as usize];
            text.push_str(word);
            column += word.len() + 1;
            let ends = column > 70;
            text.push(if ends { '\n' } else { ' ' });
            column = if ends { 0 } else { column };
        }
        text.truncate(size - 1);
        text.push('\n');
        text
    }
}

/// Creates the files, unless they exist already.
pub(crate) fn make(folder: &Path) -> io::Result<()> {
    let stamp = folder.with_extension("made");
    if fs::read_to_string(&stamp).is_ok_and(|made| made == MADE) && folder.is_dir() {
        return make_edited(folder);
    }
    let _ = fs::remove_file(&stamp);
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for outer in 0..20 {
        for inner in 0..20 {
            let folder = folder.join(format!("d{outer:02}/s{inner:02}"));
            fs::create_dir_all(&folder)?;
            let has_needle = (outer * 20 + inner) % 10 == 3;
            for number in 0..50 {
                let text = small(&mut random, number, has_needle && number == 7);
                fs::write(folder.join(small_name(number)), text)?;
            }
        }
    }
    let large = folder.join("big");
    fs::create_dir_all(&large)?;
    for number in 0..LARGE {
        fs::write(large.join(format!("m{number:02}.txt")), random.text(1 << 20))?;
    }
    for number in 0..5 {
        fs::write(large.join(format!("x{number}.log")), random.text(10 << 20))?;
    }
    make_edited(folder)?;
    fs::write(stamp, MADE)
}

/// Creates the files for edits. They are always rewritten, because an aborted run may have left any
/// content.
fn make_edited(folder: &Path) -> io::Result<()> {
    let mut random = Random(0xD1B5_4A32_D192_ED03);
    let edited = folder.join("edit");
    fs::create_dir_all(&edited)?;
    for number in 0..EDITED {
        let mut text = random.text(64 << 10);
        let line = text[32 << 10..].find('\n').map_or(0, |at| at + (32 << 10) + 1);
        text.insert_str(line, &format!("{BEFORE} = 1\n"));
        fs::write(edited.join(format!("e{number:02}.txt")), text)?;
    }
    Ok(())
}

/// Returns a small text: every tenth has 4 KiB, the others 1 to 9.
fn small(random: &mut Random, number: u64, has_needle: bool) -> String {
    let size = if number.is_multiple_of(10) { 4096 } else { 1024 + random.below(8192) as usize };
    let mut text = random.text(size);
    if has_needle {
        let middle = text.len() / 2;
        let at = text[middle..].find(' ').map_or(middle, |space| middle + space);
        text.replace_range(at..=at, &format!("\n{NEEDLE} here\n"));
    }
    text
}

fn small_name(number: u64) -> String {
    let ending = ["txt", "md", "rs", "json"][(number % 4) as usize];
    format!("f{number:02}.{ending}")
}

/// Restores the initial content of the files for edits.
pub(crate) fn reset_edits(folder: &Path) -> io::Result<()> {
    for number in 0..EDITED {
        let path = folder.join(format!("edit/e{number:02}.txt"));
        let text = fs::read_to_string(&path)?;
        if text.contains(AFTER) {
            fs::write(&path, text.replace(AFTER, BEFORE))?;
        }
    }
    Ok(())
}

/// Returns the path of a file of 4 KiB, in a scattered order.
pub(crate) fn file_4k(call: u64) -> String {
    let number = (call * 7919) % 2000;
    format!("d{:02}/s{:02}/{}", number / 100, (number / 5) % 20, small_name((number % 5) * 10))
}

pub(crate) fn file_1m(call: u64) -> String {
    format!("big/m{:02}.txt", call % LARGE)
}

/// Returns the path of a folder with 50 files.
pub(crate) fn folder(call: u64) -> String {
    let number = (call * 37) % 400;
    format!("d{:02}/s{:02}", number / 20, number % 20)
}

/// Returns a file to edit, the text to find and its replacement. When all files were edited, the
/// edits are reverted.
pub(crate) fn edit(call: u64) -> (String, &'static str, &'static str) {
    let file = format!("edit/e{:02}.txt", call % EDITED);
    if (call / EDITED).is_multiple_of(2) { (file, BEFORE, AFTER) } else { (file, AFTER, BEFORE) }
}
