//! The files that the agent works on, the person's edit of them, and their expected content at the
//! end.

use std::path::Path;

use crate::failure::Failure;

/// The number of source files. Each has two lines with the name to replace.
pub(super) const FILES: usize = 6;
/// In this many of the files, `VALUES` values are edited too.
pub(super) const VALUED: usize = 3;
pub(super) const VALUES: usize = 6;
/// The file that a person edits between the two parts.
pub(super) const SHARED: &str = "src/config.rs";
pub(super) const MOVED: (&str, &str) = ("src/part5.rs", "src/parts/last.rs");

const BEFORE: &str = "pub const TIMEOUT: u64 = 30;\npub const RETRIES: u32 = 3;\n";
const PERSON: &str = "pub const TIMEOUT: u64 = 45; // measured\npub const RETRIES: u32 = 3;\n";

pub(super) fn file(number: usize) -> String {
    format!("src/part{number}.rs")
}

/// Returns the lines with the old name, each with its replacement.
pub(super) fn renames(number: usize) -> [(String, String); 2] {
    let line = |word: &str, name: &str| format!("    let {word}_{number} = {name}();");
    ["first", "second"].map(|word| (line(word, "retry_limit"), line(word, "max_retries")))
}

/// Returns the line of a value, and its replacement.
pub(super) fn value(number: usize, value: usize) -> (String, String) {
    let line = |is: usize| format!("const VALUE_{number}_{value}: usize = {is};");
    (line(value), line(value + 100))
}

fn text(number: usize, is_edited: bool) -> String {
    let choose = |(before, after): (String, String)| if is_edited { after } else { before };
    let mut text = format!("//! Part {number} of the project.\nuse crate::config::retry_limit;\n\n");
    for at in 0..VALUES {
        let (before, after) = value(number, at);
        text += &if is_edited && number < VALUED { after } else { before };
        text += "\n";
    }
    for (at, rename) in renames(number).into_iter().enumerate() {
        text += &format!("\npub fn step_{number}_{at}() -> u32 {{\n{}\n", choose(rename));
        (0..12)
            .for_each(|line| text += &format!("    let line_{at}_{line} = work({line}); // what it does\n"));
        text += "    0\n}\n";
    }
    text
}

/// Creates the project, after removing an earlier one.
pub(super) fn fill(root: &Path) -> Result<(), Failure> {
    let _ = std::fs::remove_dir_all(root);
    let folder = root.join("src/parts");
    std::fs::create_dir_all(&folder).map_err(Failure::file("create", &folder))?;
    (0..FILES).try_for_each(|number| write(root, &file(number), &text(number, false)))?;
    write(root, SHARED, BEFORE)
}

/// Makes the person's edit.
pub(super) fn edit_as_person(root: &Path) -> Result<(), Failure> {
    write(root, SHARED, PERSON)
}

/// Checks that every edit is there, including the person's, that the undone edit is not, and that
/// the file was moved.
pub(super) fn check(root: &Path) -> Result<(), Failure> {
    for number in 0..FILES {
        let name = file(number);
        let place = if name == MOVED.0 { MOVED.1 } else { &name };
        demand(root, place, &text(number, true))?;
    }
    demand(root, SHARED, PERSON)?;
    if root.join(MOVED.0).exists() {
        return Err(Failure::new(format!("`{}` is still there", MOVED.0)));
    }
    Ok(())
}

fn write(root: &Path, name: &str, text: &str) -> Result<(), Failure> {
    let path = root.join(name);
    std::fs::write(&path, text).map_err(Failure::file("write", &path))
}

fn demand(root: &Path, name: &str, wanted: &str) -> Result<(), Failure> {
    let path = root.join(name);
    let found = std::fs::read_to_string(&path).map_err(Failure::file("read", &path))?;
    if found == wanted { Ok(()) } else { Err(Failure::new(format!("`{name}` is at the end:\n{found}"))) }
}
