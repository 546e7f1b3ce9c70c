//! The table of processes as Linux has it: `/proc/PID/stat` and `/proc/PID/cmdline`. Elsewhere it
//! is empty.
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::process::{Process, ProcessTable};

/// The processes of this machine, or of this container.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProcFiles;

/// The most bytes that are read of one file.
const MOST_BYTES: usize = 4 << 10;
/// The words of a command line that are looked at: an interpreter and its script.
const WORDS: usize = 2;

impl ProcessTable for ProcFiles {
    fn process(&self, pid: u32) -> Option<Process> {
        if !cfg!(target_os = "linux") {
            return None;
        }
        let read = |name: &str| {
            // With room for all of it: the kernel makes the text anew for each part that is read.
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

/// `PID (NAME) STATE PARENT GROUP SESSION TERMINAL ...`, with the time of the start as field 22. A
/// name can hold anything, also brackets and line breaks.
pub(super) fn parse_stat(text: &str) -> Option<Process> {
    let (pid, rest) = text.split_once(" (")?;
    let (name, rest) = rest.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    // The first of these is field 3.
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

/// The last parts of the first words.
pub(super) fn parse_command_line(text: &str) -> Vec<String> {
    let name = |word: &str| Some(Path::new(word).file_name()?.to_string_lossy().into_owned());
    text.split('\0').take(WORDS).filter_map(name).collect()
}
