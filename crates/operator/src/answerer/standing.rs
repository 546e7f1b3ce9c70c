//! Decides whether a process that answers a question acts for a person. A program of the same user
//! can fake everything that is checked here. The check stops an agent that tries what help texts
//! and habits suggest, not an attacker (SECURITY.md).
use overt_state::grants::ClientProcess;

use super::process::{Process, ProcessTable, ancestors};
use super::programs::{AGENT_VARIABLES, agent, is_starter};

/// The process that answers, as far as it is known.
#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "it holds a function")]
pub struct AnswererProcess<'a> {
    pub pid: u32,
    /// Whether standard input is a terminal.
    pub reads_terminal: bool,
    /// Tells whether a variable of this name is set and not empty.
    pub variables: &'a dyn Fn(&str) -> bool,
    /// The clients that are being served.
    pub clients: &'a [ClientProcess],
}

/// The reason why a process may not act for a person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Doubt {
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

/// Why this process may not act for a person; `None` if it may.
pub fn doubt(table: &dyn ProcessTable, circumstances: AnswererProcess<'_>) -> Option<Doubt> {
    let AnswererProcess { pid, reads_terminal, variables, clients } = circumstances;
    let own = table.process(pid);
    // If no process table is available, the terminal has to suffice.
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

/// Whether the system started the session of the terminal, rather than a program that shows
/// terminals. This happens when a process leaves its session to get rid of its ancestors.
fn is_detached(table: &dyn ProcessTable, own: &Process) -> bool {
    let leader = if own.session == own.pid { Some(own.clone()) } else { table.process(own.session) };
    let parent = leader.filter(|leader| leader.parent != 0).and_then(|leader| table.process(leader.parent));
    parent.is_some_and(|parent| {
        parent.pid == 1 || is_starter(&parent) && SYSTEM.contains(&parent.name.as_str())
    })
}

/// Programs that start services and never a terminal. `login`, `sshd` and similar programs are
/// absent, because they start the sessions of people.
const SYSTEM: [&str; 5] = ["systemd", "init", "cron", "crond", "atd"];
