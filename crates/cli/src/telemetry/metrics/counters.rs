//! The counters. Nothing here allocates or waits, because it runs for each message. Labels come
//! from fixed sets, because names of tools are chosen by others and unbounded.
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use overt_layers::observe::{Call, Direction, End, Observer, Outcome, Text};
use overt_wire::{Message, Method};

/// The methods with their own counters; any other method counts as `other`.
pub(super) const METHODS: [Method<'static>; 23] = [
    Method::Initialize,
    Method::Discover,
    Method::Ping,
    Method::ToolsList,
    Method::ToolsCall,
    Method::ResourcesList,
    Method::ResourceTemplatesList,
    Method::ResourcesRead,
    Method::ResourcesSubscribe,
    Method::ResourcesUnsubscribe,
    Method::DirectoryRead,
    Method::SkillsList,
    Method::SkillsGet,
    Method::PromptsList,
    Method::PromptsGet,
    Method::Complete,
    Method::SetLevel,
    Method::Listen,
    Method::TasksGet,
    Method::TasksUpdate,
    Method::Elicit,
    Method::Sample,
    Method::RootsList,
];
pub(super) const OUTCOMES: [&str; 4] = ["ok", "tool_error", "error", "cancelled"];
pub(super) const DIRECTIONS: [&str; 2] = ["to_server", "to_client"];
/// Upper bounds of the buckets in seconds, from a tool that works in memory to a person who
/// answers.
pub(super) const BUCKETS: [f64; 14] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0];

/// All counters.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// One entry for each method, and a last one for all others.
    pub(super) methods: [MethodCounters; METHODS.len() + 1],
    pub(super) in_flight: [AtomicU64; 2],
    pub(super) notifications: [AtomicU64; 2],
    pub(super) bytes: [AtomicU64; 2],
    pub(super) sessions: AtomicU64,
    pub(super) sessions_total: AtomicU64,
}

#[derive(Debug, Default)]
pub(super) struct MethodCounters {
    pub(super) outcomes: [AtomicU64; OUTCOMES.len()],
    /// Number of requests in each bucket, without those in smaller buckets; the last has no bound.
    pub(super) buckets: [AtomicU64; BUCKETS.len() + 1],
    pub(super) nanoseconds: AtomicU64,
}

// === impl Metrics ===

impl Metrics {
    fn method(&self, method: Option<Method<'static>>) -> &MethodCounters {
        let known = method.and_then(|method| METHODS.iter().position(|known| *known == method));
        &self.methods[known.unwrap_or(METHODS.len())]
    }

    fn answer_bytes(&self, call: &Call, answer: &Message) {
        // An answer goes in the opposite direction of its request.
        self.bytes[1 - way(call)].fetch_add(answer.text().len() as u64, Relaxed);
    }
}

impl Observer for Metrics {
    fn began(&self, call: &Call, _text: Text<'_>) {
        self.in_flight[way(call)].fetch_add(1, Relaxed);
        self.bytes[way(call)].fetch_add(call.bytes as u64, Relaxed);
    }

    fn ended(&self, call: &Call, end: &End<'_>) {
        self.in_flight[way(call)].fetch_sub(1, Relaxed);
        if let Some(answer) = end.answer {
            self.answer_bytes(call, answer);
        }
        let method = self.method(call.method);
        let outcome = match end.outcome {
            Outcome::Ok => 0,
            Outcome::ToolError => 1,
            Outcome::Error(_) => 2,
            Outcome::Cancelled => 3,
        };
        method.outcomes[outcome].fetch_add(1, Relaxed);
        method.buckets[bucket(end.took)].fetch_add(1, Relaxed);
        let nanoseconds = u64::try_from(end.took.as_nanos()).unwrap_or(u64::MAX);
        method.nanoseconds.fetch_add(nanoseconds, Relaxed);
    }

    fn notified(&self, call: &Call, _message: &Message) {
        self.notifications[way(call)].fetch_add(1, Relaxed);
        self.bytes[way(call)].fetch_add(call.bytes as u64, Relaxed);
    }

    fn session_began(&self, _session: u64) {
        self.sessions.fetch_add(1, Relaxed);
        self.sessions_total.fetch_add(1, Relaxed);
    }

    fn session_ended(&self, _session: u64) {
        self.sessions.fetch_sub(1, Relaxed);
    }
}

fn bucket(took: Duration) -> usize {
    let seconds = took.as_secs_f64();
    BUCKETS.iter().position(|bound| seconds <= *bound).unwrap_or(BUCKETS.len())
}

fn way(call: &Call) -> usize {
    match call.direction {
        Direction::ToServer => 0,
        Direction::ToClient => 1,
    }
}
