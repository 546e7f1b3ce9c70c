//! Finds out whether a client is running. The names of processes are read from `/proc`; on other
//! systems the answer is unknown.
use std::path::{Path, PathBuf};

use super::facts::{ClientFacts, RewriteTime};

/// The folder from which the names of processes are read.
#[derive(Debug)]
pub struct Processes {
    folder: PathBuf,
}

/// Whether a client is running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientState {
    Yes,
    No,
    /// The system does not tell.
    Unknown,
}

/// The kernel truncates the name of a process to this many bytes.
const LONGEST_NAME: usize = 15;

impl Default for Processes {
    fn default() -> Self {
        Self { folder: PathBuf::from("/proc") }
    }
}

impl Processes {
    /// Returns whether a client is running that would overwrite our change. A client that rereads
    /// its file before it writes counts as not running.
    pub fn runs(&self, client: &ClientFacts) -> ClientState {
        let RewriteTime::FromMemory(names) = client.rewrites else { return ClientState::No };
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return ClientState::Unknown };
        let mut seen = false;
        for entry in entries.flatten() {
            let Some(name) = process_name(&entry.path()) else { continue };
            seen = true;
            if names.iter().any(|known| known.get(..LONGEST_NAME).unwrap_or(known) == name) {
                return ClientState::Yes;
            }
        }
        if seen { ClientState::No } else { ClientState::Unknown }
    }
}

fn process_name(folder: &Path) -> Option<String> {
    let is_process = folder.file_name()?.as_encoded_bytes().iter().all(u8::is_ascii_digit);
    let name = is_process.then(|| std::fs::read_to_string(folder.join("comm")).ok()).flatten()?;
    Some(name.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::by_word;
    use super::*;

    #[test]
    fn a_client_that_loses_changes_is_recognised_by_its_process() {
        let folder = tempfile::TempDir::new().unwrap();
        let processes = Processes { folder: folder.path().to_owned() };
        let desktop = by_word("claude-desktop").unwrap();
        assert_eq!(processes.runs(desktop), ClientState::Unknown);
        let process = |id: &str, name: &str| {
            fs::create_dir_all(folder.path().join(id)).unwrap();
            fs::write(folder.path().join(id).join("comm"), format!("{name}\n")).unwrap();
        };
        process("1", "init");
        process("self", "claude-desktop");
        assert_eq!(processes.runs(desktop), ClientState::No);
        process("23", "claude-desktop");
        assert_eq!(processes.runs(desktop), ClientState::Yes);
        assert_eq!(processes.runs(by_word("cursor").unwrap()), ClientState::No);
    }
}
