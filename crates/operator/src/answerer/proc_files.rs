//! Reads processes from `/proc/PID/stat` and `/proc/PID/cmdline` on Linux. Elsewhere the table is
//! empty.
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::process::{Process, ProcessTable};

/// The processes of this machine, or of this container.
#[derive(Debug, Clone, Copy)]
pub struct ProcFiles;

/// Maximum number of bytes read of one file.
const MOST_BYTES: usize = 4 << 10;
/// Number of words read of a command line: an interpreter and its script.
const WORDS: usize = 2;

impl ProcessTable for ProcFiles {
    fn process(&self, pid: u32) -> Option<Process> {
        if !cfg!(target_os = "linux") {
            return None;
        }
        let read = |name: &str| {
            // Reserve room for the whole file, because the kernel generates the text again for each
            // partial read.
            let mut bytes = Vec::with_capacity(MOST_BYTES);
            let file = File::open(format!("/proc/{pid}/{name}")).ok()?;
            file.take(MOST_BYTES as u64).read_to_end(&mut bytes).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        };
        let process = parse_stat(&read("stat")?)?;
        let words = read("cmdline").map(|line| parse_command_line(&line)).unwrap_or_default();
        Some(Process { words, ..process })
    }
}

/// Parses `PID (NAME) STATE PARENT GROUP SESSION TERMINAL ...`, with the start time as field 22. A
/// name can contain anything, including brackets and line breaks.
pub(super) fn parse_stat(text: &str) -> Option<Process> {
    let (pid, rest) = text.split_once(" (")?;
    let (name, rest) = rest.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    // `fields` begins with field 3.
    let field = |number: usize| fields.get(number - 3).copied();
    Some(Process {
        pid: pid.parse().ok()?,
        started: field(22)?.parse().ok()?,
        parent: field(4)?.parse().ok()?,
        session: field(6)?.parse().ok()?,
        has_terminal: field(7)?.parse::<i64>().ok()? != 0,
        name: name.to_owned(),
        words: Vec::new(),
    })
}

/// The file names of the first words of a command line.
pub(super) fn parse_command_line(text: &str) -> Vec<String> {
    let name = |word: &str| Some(Path::new(word).file_name()?.to_string_lossy().into_owned());
    text.split('\0').take(WORDS).filter_map(name).collect()
}
