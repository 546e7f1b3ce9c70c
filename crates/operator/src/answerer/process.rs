//! A process, and the trait through which processes are looked up.
use std::fmt;

use overt_state::grants::ClientProcess;

/// The kernel's information about a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    pub pid: u32,
    /// Start time in clock ticks since the machine was started.
    pub started: u64,
    /// Process id of the parent; 0 if there is none that this process can see.
    pub parent: u32,
    /// Process id of the session leader.
    pub session: u32,
    /// Whether it has a controlling terminal.
    pub has_terminal: bool,
    /// The name of its program, which the process can change.
    pub name: String,
    /// The beginning of its command line: the names of the program and of its first argument,
    /// without folders.
    pub words: Vec<String>,
}

/// Looks up processes by id.
pub trait ProcessTable: fmt::Debug {
    /// Returns a process. `None` if it has ended or is not visible to this process.
    fn process(&self, pid: u32) -> Option<Process>;
}

/// A limit that no real process tree reaches.
const MOST_ANCESTORS: usize = 256;

impl Process {
    pub fn identity(&self) -> ClientProcess {
        ClientProcess { pid: self.pid, started: self.started }
    }

    /// Whether it leads the session of a terminal, as the shell in a window does.
    pub fn leads_terminal(&self) -> bool {
        self.session == self.pid && self.has_terminal
    }
}

/// The ancestors of a process, the parent first. The list ends at a process id that was reused,
/// which shows because a parent is never younger than its child.
pub(super) fn ancestors(table: &dyn ProcessTable, of: &Process) -> impl Iterator<Item = Process> {
    let parent = |of: &Process| {
        let parent = table.process(of.parent).filter(|_| of.parent != 0)?;
        (parent.started <= of.started).then_some(parent)
    };
    std::iter::successors(parent(of), move |last| parent(last)).take(MOST_ANCESTORS)
}
