//! The state of one run. Checks that need only the present state are made here, as things happen.
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;

use super::promise::Promise;
use super::schedule::{ClientKind, IDLE, Sabotage, Schedule, Tool};

pub(crate) struct World {
    pub(crate) schedule: Schedule,
    began: Instant,
    /// Whether the faults of the server are over.
    is_healed: AtomicBool,
    /// How often the tools were redefined.
    pub(crate) definition: AtomicU64,
    /// A log of what happened; `None` if no one reads it.
    trace: Option<Mutex<Vec<String>>>,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    violations: Vec<Violation>,
    processes: Vec<Process>,
    /// Calls whose intent was recorded.
    intents: HashSet<String>,
    /// Calls that reached a server, with the round of questions.
    received: HashSet<(String, usize)>,
    /// Calls that had an effect.
    effects: HashSet<String>,
    /// Calls that were answered with `executed: "no"`.
    not_executed: BTreeSet<String>,
    /// The process that last served each client.
    last: HashMap<String, Served>,
}

#[derive(Debug, Clone)]
pub(crate) struct Violation {
    pub(crate) promise: Promise,
    pub(crate) what: String,
}

#[derive(Debug, Default, Clone)]
struct Process {
    ended: Option<EndedBy>,
    /// Whether the gateway may consider the process stuck and give it up.
    is_stuck: bool,
    counter: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndedBy {
    Fault,
    Gateway,
}

#[derive(Debug, Clone, Copy)]
struct Served {
    process: usize,
    at: Instant,
}

impl World {
    pub(crate) fn new(schedule: Schedule, is_traced: bool) -> Arc<Self> {
        Arc::new(Self {
            schedule,
            began: Instant::now(),
            is_healed: AtomicBool::new(false),
            definition: AtomicU64::new(0),
            trace: is_traced.then(Mutex::default),
            inner: Mutex::default(),
        })
    }

    pub(crate) fn heal(&self) {
        self.is_healed.store(self.schedule.sabotage != Some(Sabotage::StayDown), Ordering::Relaxed);
    }

    pub(crate) fn is_healed(&self) -> bool {
        self.is_healed.load(Ordering::Relaxed)
    }

    /// Writes a line to the trace.
    pub(crate) fn say(&self, line: impl FnOnce() -> String) {
        if let Some(trace) = &self.trace {
            trace.lock().unwrap().push(format!("{:>12.3?} {}", self.began.elapsed(), line()));
        }
    }

    pub(crate) fn trace(&self) -> Vec<String> {
        self.trace.as_ref().map(|trace| trace.lock().unwrap().clone()).unwrap_or_default()
    }

    pub(crate) fn violate(&self, promise: Promise, what: impl Into<String>) {
        let what = what.into();
        self.say(|| format!("VIOLATION {promise:?}: {what}"));
        self.inner().violations.push(Violation { promise, what });
    }

    pub(crate) fn violations(&self) -> Vec<Violation> {
        self.inner().violations.clone()
    }

    /// Registers a process that starts, and returns its number.
    pub(crate) fn start_process(&self) -> usize {
        let mut inner = self.inner();
        inner.processes.push(Process::default());
        inner.processes.len() - 1
    }

    pub(crate) fn end_process(&self, process: usize, by: EndedBy) {
        self.say(|| format!("server {process} ends ({by:?})"));
        self.inner().processes[process].ended.get_or_insert(by);
    }

    pub(crate) fn note_stuck(&self, process: usize) {
        self.inner().processes[process].is_stuck = true;
    }

    pub(crate) fn running_processes(&self) -> Vec<usize> {
        let inner = self.inner();
        (0..inner.processes.len()).filter(|process| inner.processes[*process].ended.is_none()).collect()
    }

    pub(crate) fn note_intent(&self, arguments: &str) {
        if let Some(call) = call_in(arguments) {
            self.inner().intents.insert(call.to_owned());
        }
    }

    /// Notes that a call reached a server process. `round` counts the rounds of questions before
    /// it.
    pub(crate) fn note_received(&self, process: usize, call: &str, tool: Tool, round: usize) {
        self.say(|| format!("server {process} gets {} {call} (round {round})", tool.name()));
        if tool == Tool::Count && !self.inner().intents.contains(call) {
            self.violate(
                Promise::IntentFirst,
                format!("{call} reached the server before its intent was recorded"),
            );
        }
        if !self.inner().received.insert((call.to_owned(), round)) && tool == Tool::Count {
            self.violate(Promise::SentOnce, format!("{call} was sent twice (round {round})"));
        }
        self.check_state(process, call);
    }

    /// Checks that all calls of one client reach the same process as long as that process lives.
    fn check_state(&self, process: usize, call: &str) {
        let key = self.key_of(call);
        let now = Instant::now();
        let is_sessionless = self.kind_of(call) == ClientKind::HttpModern;
        let mut inner = self.inner();
        let Some(before) = inner.last.insert(key.clone(), Served { process, at: now }) else { return };
        let lost = &inner.processes[before.process];
        let may_be_idle = is_sessionless && now - before.at > IDLE;
        let is_excused = match lost.ended {
            Some(EndedBy::Fault) => true,
            Some(EndedBy::Gateway) => lost.is_stuck || may_be_idle,
            None => lost.is_stuck || before.process == process,
        };
        if before.process != process && !is_excused {
            let ended = format!("{:?}", lost.ended);
            drop(inner);
            let what = format!(
                "{call} of client {key} is at server {process}, and server {} is {ended}",
                before.process
            );
            self.violate(Promise::OneState, what);
        }
    }

    /// Notes that a call has its effect. Increases the counter of its process and returns it.
    pub(crate) fn note_effect(&self, process: usize, call: &str) -> u64 {
        let mut inner = self.inner();
        inner.effects.insert(call.to_owned());
        inner.processes[process].counter += 1;
        inner.processes[process].counter
    }

    pub(crate) fn note_not_executed(&self, call: &str) {
        self.inner().not_executed.insert(call.to_owned());
    }

    /// Runs the checks that need the whole schedule.
    pub(crate) fn check_end(&self) {
        let lies: Vec<String> = {
            let inner = self.inner();
            inner.not_executed.iter().filter(|call| inner.effects.contains(*call)).cloned().collect()
        };
        for call in lies {
            self.violate(
                Promise::ExecutedIsTrue,
                format!("{call} had an effect, and its client was told it had none"),
            );
        }
    }

    /// Returns how many processes were started.
    pub(crate) fn starts(&self) -> usize {
        self.inner().processes.len()
    }

    /// Returns what identifies a client's state. Modern clients without a session that have the
    /// same name share it.
    pub(crate) fn key_of(&self, call: &str) -> String {
        let index = client_of(call);
        let client = &self.schedule.clients[index];
        match client.kind {
            ClientKind::HttpModern => format!("{}/{}", client.name, client.can_be_asked),
            _ => format!("#{index}"),
        }
    }

    fn kind_of(&self, call: &str) -> ClientKind {
        self.schedule.clients[client_of(call)].kind
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap()
    }
}

/// Returns the name of a call, made from the index of its client and a number.
pub(crate) fn call_name(client: usize, number: u64) -> String {
    format!("<{client}-{number}>")
}

/// Returns the name of the call that a text mentions.
pub(crate) fn call_in(text: &str) -> Option<&str> {
    let start = text.find('<')?;
    let end = start + text[start..].find('>')?;
    let name = &text[start..=end];
    name.contains('-').then_some(name)
}

/// Returns the index of the call's client in the schedule.
pub(crate) fn client_of(call: &str) -> usize {
    call.trim_start_matches('<').split('-').next().and_then(|index| index.parse().ok()).unwrap()
}
