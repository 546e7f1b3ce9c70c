//! What the server does as a process: it ends, and it leaves lines in files.
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

/// Ends the process on the spot.
#[expect(clippy::disallowed_methods, reason = "a crash runs no destructors")]
pub(super) fn exit(status: i32) -> ! {
    std::process::exit(status)
}

/// One line at the end of a file.
pub(super) fn append(file: &Path, line: &str) {
    let opened = OpenOptions::new().create(true).append(true).open(file);
    opened
        .and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()))
        .expect("the file can be written");
}
