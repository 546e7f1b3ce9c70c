//! Whether a process that answers a question stands for a person. Everything here can be faked by a
//! program that runs as the same user: it stops an agent that tries what help texts and habits
//! suggest, not one that attacks (SECURITY.md).
use overt_state::grants::ClientProcess;

use super::process::{Process, ProcessTable, ancestors};
use super::programs::{AGENT_VARIABLES, agent, is_starter};

/// The process that answers, as far as it is known.
#[derive(Clone, Copy)]
pub(crate) struct AnswererProcess<'a> {
    pub(crate) pid: u32,
    /// Whether standard input is a terminal.
    pub(crate) reads_terminal: bool,
    /// The names of its variables that are set and not empty.
    pub(crate) variables: &'a dyn Fn(&str) -> bool,
    /// The clients that are served now.
    pub(crate) clients: &'a [ClientProcess],
}

/// Why a process may not stand for a person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Doubt {
    #[error("no terminal shows that a person answers")]
    NoTerminal,
    #[error("the variable `{0}` says that an agent runs this command")]
    AgentVariable(&'static str),
    #[error("the agent `{0}` runs this command")]
    Agent(&'static str),
    #[error("`{name}` (process {pid}) runs this command, and it is a client that Overt asks questions for")]
    Client { name: String, pid: u32 },
    #[error("nothing that a person uses has opened this terminal")]
    Detached,
}

/// Why this process may not stand for a person; none if it does.
pub(crate) fn doubt(table: &dyn ProcessTable, circumstances: AnswererProcess<'_>) -> Option<Doubt> {
    let AnswererProcess { pid, reads_terminal, variables, clients } = circumstances;
    let own = table.process(pid);
    // Without a table of processes the terminal must do.
    let is_controlled = own.as_ref().is_none_or(|own| own.has_terminal);
    if !reads_terminal || !is_controlled {
        return Some(Doubt::NoTerminal);
    }
    if let Some(name) = AGENT_VARIABLES.into_iter().find(|name| variables(name)) {
        return Some(Doubt::AgentVariable(name));
    }
    let own = own?;
    for ancestor in ancestors(table, &own) {
        if clients.contains(&ancestor.identity()) {
            return Some(Doubt::Client { name: ancestor.name, pid: ancestor.pid });
        }
        if let Some(name) = agent(&ancestor) {
            return Some(Doubt::Agent(name));
        }
    }
    is_detached(table, &own).then_some(Doubt::Detached)
}

/// Whether the session of the terminal was begun by the system, and not by a program that shows
/// terminals: so it is if a process left its own session to get rid of its ancestors.
fn is_detached(table: &dyn ProcessTable, own: &Process) -> bool {
    let leader = if own.session == own.pid { Some(own.clone()) } else { table.process(own.session) };
    let parent = leader.filter(|leader| leader.parent != 0).and_then(|leader| table.process(leader.parent));
    parent.is_some_and(|parent| {
        parent.pid == 1 || is_starter(&parent) && SYSTEM.contains(&parent.name.as_str())
    })
}

/// Those that start services and never a terminal. `login`, `sshd` and the like begin the sessions
/// of people.
const SYSTEM: [&str; 5] = ["systemd", "init", "cron", "crond", "atd"];
