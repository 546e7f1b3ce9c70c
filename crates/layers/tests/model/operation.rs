//! The operations of a sequence, and their immediate effects.
use std::time::Duration;

use proptest::prelude::*;
use proptest::sample::select;

use super::bench::{Bench, Return};
use super::form::Said;
use super::ledger::Mode;
use super::rules::{PATHS, Policy, TOOLS, Tool, Verdict};

#[derive(Debug, Clone, Copy)]
pub(crate) enum Operation {
    Call { client: usize, tool: Tool, path: &'static str },
    Answer { place: usize, said: Said },
    ComeBack { place: usize, said: Said, how: Return },
    AnswerElsewhere { place: usize, said: Said },
    Reload(Policy),
    Redefine(Tool),
    ChangeWorld,
    BreakWorld(bool),
    ServerAsks(bool),
    Cancel(usize),
    Revoke(usize),
    HangUp(usize),
    Pass(u64),
    Ledger(Mode),
    EndSession(usize),
    Crash,
}

impl Operation {
    pub(crate) fn any() -> impl Strategy<Value = Self> {
        let place = || 0..8_usize;
        let tool = || select(&TOOLS[..]);
        let how = select(vec![
            Return::Honestly,
            Return::Honestly,
            Return::Honestly,
            Return::Again,
            Return::Otherwise,
            Return::AsAnother,
        ]);
        prop_oneof![
            12 => (0..4_usize, tool(), select(&PATHS[..])).prop_map(|(client, tool, path)| Self::Call { client, tool, path }),
            6 => (place(), Said::any()).prop_map(|(place, said)| Self::Answer { place, said }),
            6 => (place(), Said::any(), how).prop_map(|(place, said, how)| Self::ComeBack { place, said, how }),
            3 => (place(), Said::any()).prop_map(|(place, said)| Self::AnswerElsewhere { place, said }),
            3 => Policy::any().prop_map(Self::Reload),
            2 => tool().prop_map(Self::Redefine),
            2 => Just(Self::ChangeWorld),
            1 => any::<bool>().prop_map(Self::BreakWorld),
            2 => any::<bool>().prop_map(Self::ServerAsks),
            1 => place().prop_map(Self::Cancel),
            2 => place().prop_map(Self::Revoke),
            1 => place().prop_map(Self::HangUp),
            3 => (0..1_500_u64).prop_map(Self::Pass),
            2 => select(vec![Mode::Works, Mode::Works, Mode::Slow, Mode::Fails]).prop_map(Self::Ledger),
            1 => place().prop_map(Self::EndSession),
            1 => Just(Self::Crash),
        ]
    }

    /// Returns the same operation for one tool and one path, so that rare coincidences become
    /// frequent.
    pub(crate) fn about(self, tool: Tool, path: &'static str) -> Self {
        match self {
            Self::Call { client, .. } => Self::Call { client, tool, path },
            Self::Redefine(_) => Self::Redefine(tool),
            other => other,
        }
    }

    pub(crate) async fn apply(self, bench: &mut Bench) {
        match self {
            Self::Call { client, tool, path } => {
                let client = bench.clients[client].clone();
                bench.call(&client, tool, path);
            }
            Self::Answer { place, said } => {
                bench.answer(place, said);
            }
            Self::ComeBack { place, said, how } => bench.come_back(place, said, how),
            Self::AnswerElsewhere { place, said } => bench.answer_elsewhere(place, said).await,
            Self::Reload(policy) => return reload(bench, policy).await,
            Self::Redefine(tool) => bench.world.redefine(tool),
            Self::ChangeWorld => bench.world.change(),
            Self::BreakWorld(is_broken) => bench.world.set_broken(is_broken),
            Self::ServerAsks(asks) => bench.world.set_asks(asks),
            Self::Cancel(place) => bench.cancel(place),
            Self::Revoke(place) => bench.revoke(place).await,
            Self::HangUp(place) => {
                let dialog = bench.clients.iter().find_map(|client| client.take_dialog(place));
                dialog.into_iter().for_each(super::client::Dialog::hang_up);
            }
            Self::Pass(milliseconds) => bench.pass(Duration::from_millis(milliseconds)).await,
            Self::Ledger(mode) => {
                bench.ledger.set(mode);
            }
            Self::EndSession(place) => bench.end_session(place),
            Self::Crash => bench.crash().await,
        }
        bench.settle().await;
    }
}

/// Puts a new policy in force. Waiting calls that it denies must be refused, and those that it
/// allows must run.
async fn reload(bench: &mut Bench, policy: Policy) {
    let waiting: Vec<usize> = bench.waiting().collect();
    bench.reload(policy);
    // Time for two slow records and a call that takes a moment.
    bench.pass(Duration::from_millis(1_000)).await;
    for index in waiting {
        let call = &bench.calls[index];
        match policy.verdict(call.tool, call.path, None, false) {
            Verdict::Deny => {
                assert!(call.answer.is_some(), "{policy:?} denies a call that goes on waiting: {call:?}");
            }
            Verdict::Allow if policy == Policy::Open => {
                assert!(call.answer.is_some(), "{policy:?} allows a call that goes on waiting: {call:?}");
            }
            Verdict::Allow | Verdict::Ask(_) => {}
        }
    }
}
