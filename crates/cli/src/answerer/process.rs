//! A process, and the table of all of them.
use std::fmt;

use overt_state::grants::ClientProcess;

/// What the kernel says of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    /// In ticks of the kernel's clock since the machine was started.
    pub(crate) started: u64,
    /// 0 if it has none that we can see.
    pub(crate) parent: u32,
    /// The process that began its session.
    pub(crate) session: u32,
    /// Whether it has a terminal that controls it.
    pub(crate) has_terminal: bool,
    /// What its program is called. The process can change it.
    pub(crate) name: String,
    /// What its command line begins with: the names of the program and of its first argument,
    /// without folders.
    pub(crate) words: Vec<String>,
}

/// All processes.
pub(crate) trait ProcessTable: fmt::Debug {
    /// None if it is gone, or if we may not see it.
    fn process(&self, pid: u32) -> Option<Process>;
}

/// More ancestors than any process has.
const MOST_ANCESTORS: usize = 256;

impl Process {
    pub(crate) fn identity(&self) -> ClientProcess {
        ClientProcess { pid: self.pid, started: self.started }
    }

    /// Whether it began the session of a terminal, as the shell in a window does.
    pub(crate) fn leads_terminal(&self) -> bool {
        self.session == self.pid && self.has_terminal
    }
}

/// The parent of a process, its parent, and so on. A number that was given to another process
/// meanwhile ends the list: a parent is never younger than its child.
pub(crate) fn ancestors(table: &dyn ProcessTable, of: &Process) -> impl Iterator<Item = Process> {
    let parent = |of: &Process| {
        let parent = table.process(of.parent).filter(|_| of.parent != 0)?;
        (parent.started <= of.started).then_some(parent)
    };
    std::iter::successors(parent(of), move |last| parent(last)).take(MOST_ANCESTORS)
}
