//! The server as a process: exiting, and appending lines to files.
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

/// Exits immediately.
#[expect(clippy::disallowed_methods, reason = "a crash runs no destructors")]
pub(super) fn exit(status: i32) -> ! {
    std::process::exit(status)
}

/// Appends a line to a file.
pub(super) fn append(file: &Path, line: &str) {
    let opened = OpenOptions::new().create(true).append(true).open(file);
    opened
        .and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()))
        .expect("the file can be written");
}
