//! The plan of one run: the server's faults, the links, and what each client does when. A seed
//! determines all of it.
use std::collections::BTreeSet;
use std::time::Duration;

use super::random::Random;

#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    pub(crate) seed: u64,
    pub(crate) server: ServerPlan,
    pub(crate) clients: Vec<ClientPlan>,
    /// Whether tools that no person accepted are refused, and not only reported.
    pub(crate) strict_pins: bool,
    /// How long the audit log takes to write a record.
    pub(crate) record_takes: Duration,
    /// The promise-breaking fault that a test adds, if any.
    pub(crate) sabotage: Option<Sabotage>,
}

#[derive(Debug, Clone)]
pub(crate) struct ServerPlan {
    pub(crate) speaks: Speaks,
    /// Plans of the first processes, in the order of their start. Later processes have no fault.
    pub(crate) processes: Vec<ProcessPlan>,
    /// Whether the server announces changed tools while it lists them, the first few times.
    pub(crate) changes_while_listing: bool,
    pub(crate) listing_takes: Duration,
    pub(crate) link: LinkPlan,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaks {
    Legacy,
    /// The server ends at the first message if that is not `initialize`.
    LegacyAndNothingElse,
    Modern,
    Both,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct ProcessPlan {
    pub(crate) refuses_to_start: bool,
    /// How long the process takes before it reads its input.
    pub(crate) start_takes: Duration,
    pub(crate) end: Option<End>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct End {
    /// The process ends at this message, counted from 1.
    pub(crate) at_message: usize,
    pub(crate) how: HowItEnds,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HowItEnds {
    /// Before the message has any effect.
    BeforeEffect,
    /// After the effect of a call, but before its answer.
    AfterEffect,
    /// In the middle of an answer.
    WithinAnswer,
    /// The process keeps running, but answers nothing any more.
    Stalls,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LinkPlan {
    /// How long a delayed piece is delayed.
    pub(crate) delay: Duration,
    /// The largest piece. `None` if bytes arrive as they were sent.
    pub(crate) piece: Option<usize>,
}

#[derive(Debug, Clone)]
pub(crate) struct ClientPlan {
    pub(crate) kind: ClientKind,
    /// Modern clients without a session that have the same name count as one client.
    pub(crate) name: String,
    pub(crate) can_be_asked: bool,
    pub(crate) link: LinkPlan,
    pub(crate) steps: Vec<Step>,
    /// How the client leaves after its last step. `None` if it stays until the end.
    pub(crate) leaves: Option<Leaves>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClientKind {
    StdioLegacy,
    StdioModern,
    HttpLegacy,
    HttpModern,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaves {
    /// Closes its input and continues to read.
    EndOfInput,
    /// Disconnects at once.
    Abruptly,
}

#[derive(Debug, Clone)]
pub(crate) struct Step {
    /// How long the client waits before the step.
    pub(crate) after: Duration,
    pub(crate) action: Action,
}

#[derive(Debug, Clone)]
pub(crate) enum Action {
    /// Makes these calls at the same time.
    Call(Vec<Call>),
    /// Makes these calls at the same time and waits for the answers.
    CallAndWait(Vec<Call>),
    ListTools,
}

/// One call, and what the server does with it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call {
    pub(crate) tool: Tool,
    pub(crate) takes: Duration,
    pub(crate) progress: u64,
    pub(crate) asks: bool,
    /// How long the person takes to answer.
    pub(crate) person_takes: Duration,
    pub(crate) redefines: bool,
    pub(crate) log_messages: u64,
    pub(crate) hangs: bool,
    pub(crate) cancelled_after: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    /// Increases the counter of the process.
    Count,
    /// Only reads.
    Echo,
}

/// Ways to break a promise on purpose, to check that the simulation finds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sabotage {
    SendTwice,
    DropAnswer,
    AnswerTwice,
    SwapAnswers,
    RecordLate,
    LoseOutcome,
    SplitState,
    ClaimNotExecuted,
    StayDown,
    LeaveTask,
}

/// A modern client without a session may lose its server process after it was idle for this long.
pub(crate) const IDLE: Duration = Duration::from_secs(600);
/// How long the gateway keeps a call that waits for answers, together with its session.
pub(crate) const SUSPENDED: Duration = Duration::from_secs(300);

impl Schedule {
    pub(crate) fn new(seed: u64) -> Self {
        let random = &mut Random::new(seed);
        let is_calm = random.chance(35);
        let server = ServerPlan::new(random, is_calm);
        let count = random.between(1, 4);
        let is_long = random.chance(15);
        let clients = (0..count).map(|_| ClientPlan::new(random, is_calm, is_long)).collect::<Vec<_>>();
        let redefines = clients.iter().flat_map(ClientPlan::calls).any(|call| call.redefines);
        Self {
            seed,
            server,
            strict_pins: !redefines && random.chance(30),
            record_takes: millis(random.pick(&[0, 0, 1, 20])),
            clients,
            sabotage: None,
        }
    }

    /// Says whether no server process fails and no call hangs.
    pub(crate) fn is_calm(&self) -> bool {
        let fails = |plan: &ProcessPlan| plan.refuses_to_start || plan.end.is_some();
        let hangs = self.clients.iter().flat_map(ClientPlan::calls).any(|call| call.hangs);
        !hangs && !self.server.processes.iter().any(fails)
    }

    /// Returns how many processes may be started if none fails: one for each client, and one more
    /// to find out the era.
    pub(crate) fn most_starts(&self) -> usize {
        let sessionless = |client: &&ClientPlan| client.kind == ClientKind::HttpModern;
        let names: BTreeSet<_> = self
            .clients
            .iter()
            .filter(sessionless)
            .map(|client| (&client.name, client.can_be_asked))
            .collect();
        let others = self.clients.iter().filter(|client| client.kind != ClientKind::HttpModern).count();
        let probes = match self.server.speaks {
            Speaks::LegacyAndNothingElse => self.clients.len() + 1,
            _ => 1,
        };
        names.len() + others + probes
    }
}

impl ServerPlan {
    fn new(random: &mut Random, is_calm: bool) -> Self {
        let speaks = random.pick(&[
            Speaks::Legacy,
            Speaks::Legacy,
            Speaks::LegacyAndNothingElse,
            Speaks::Modern,
            Speaks::Both,
        ]);
        let faulty = if is_calm { 0 } else { random.between(1, 4) };
        let processes = (0..faulty).map(|_| ProcessPlan::new(random)).collect();
        let changes_while_listing = random.chance(20);
        Self {
            speaks,
            processes,
            changes_while_listing,
            listing_takes: millis(random.pick(&[0, 0, 5, 300])),
            link: LinkPlan::new(random),
        }
    }
}

impl ProcessPlan {
    fn new(random: &mut Random) -> Self {
        if random.chance(25) {
            return Self { refuses_to_start: true, ..Self::default() };
        }
        let how = random.pick(&[
            HowItEnds::BeforeEffect,
            HowItEnds::AfterEffect,
            HowItEnds::WithinAnswer,
            HowItEnds::WithinAnswer,
            HowItEnds::Stalls,
        ]);
        let at_message = usize::try_from(random.between(1, 14)).unwrap();
        Self {
            refuses_to_start: false,
            start_takes: millis(random.pick(&[0, 0, 50, 2_000])),
            end: random.chance(85).then_some(End { at_message, how }),
        }
    }
}

impl LinkPlan {
    fn new(random: &mut Random) -> Self {
        if random.chance(60) {
            return Self::default();
        }
        let delay = millis(random.pick(&[0, 3, 40]));
        Self { delay, piece: Some(random.pick(&[23, 150, 4_096])) }
    }
}

impl ClientPlan {
    fn new(random: &mut Random, is_calm: bool, is_long: bool) -> Self {
        let kind = random.pick(&[
            ClientKind::StdioLegacy,
            ClientKind::StdioModern,
            ClientKind::HttpLegacy,
            ClientKind::HttpModern,
        ]);
        let count = random.between(1, 4);
        let steps = (0..count).map(|_| Step::new(random, is_calm, is_long)).collect();
        let leaves = random.chance(30).then(|| random.pick(&[Leaves::EndOfInput, Leaves::Abruptly]));
        Self {
            kind,
            name: random.pick(&["a", "b", "c"]).to_owned(),
            can_be_asked: random.chance(60),
            link: LinkPlan::new(random),
            steps,
            leaves,
        }
    }

    pub(crate) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.steps.iter().flat_map(|step| match &step.action {
            Action::Call(calls) | Action::CallAndWait(calls) => calls.as_slice(),
            Action::ListTools => &[],
        })
    }
}

impl ClientKind {
    pub(crate) fn is_modern(self) -> bool {
        matches!(self, Self::StdioModern | Self::HttpModern)
    }

    pub(crate) fn is_stdio(self) -> bool {
        matches!(self, Self::StdioLegacy | Self::StdioModern)
    }
}

impl Step {
    fn new(random: &mut Random, is_calm: bool, is_long: bool) -> Self {
        let after = match is_long && random.chance(40) {
            true => IDLE + Duration::from_secs(random.between(1, 300)),
            false => millis(random.pick(&[0, 0, 1, 30, 400, 12_000])),
        };
        let count = random.pick(&[1, 1, 2, 3, 8]);
        let mut calls = || (0..count).map(|_| Call::new(random, is_calm)).collect();
        let calls: Vec<Call> = calls();
        let action = match random.below(10) {
            0 => Action::ListTools,
            1..=6 => Action::CallAndWait(calls),
            _ => Action::Call(calls),
        };
        Self { after, action }
    }
}

impl Call {
    fn new(random: &mut Random, is_calm: bool) -> Self {
        Self {
            tool: random.pick(&[Tool::Count, Tool::Count, Tool::Echo]),
            takes: millis(random.pick(&[0, 0, 2, 50, 900, 7_000])),
            progress: if random.chance(20) { random.between(1, 4) } else { 0 },
            asks: random.chance(15),
            person_takes: millis(random.pick(&[0, 100, 4_000])),
            redefines: random.chance(4),
            log_messages: if random.chance(1) { random.between(10, 400) } else { 0 },
            hangs: !is_calm && random.chance(3),
            cancelled_after: random.chance(8).then(|| millis(random.pick(&[0, 1, 10, 500]))),
        }
    }

    /// Returns a call without any extras.
    pub(crate) fn plain(tool: Tool) -> Self {
        Self {
            tool,
            takes: Duration::ZERO,
            progress: 0,
            asks: false,
            person_takes: Duration::ZERO,
            redefines: false,
            log_messages: 0,
            hangs: false,
            cancelled_after: None,
        }
    }
}

impl Tool {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Echo => "echo",
        }
    }
}

fn millis(count: u64) -> Duration {
    Duration::from_millis(count)
}
