//! Open questions. A question is asked only once, their number is limited, and the first answer
//! counts. Pure: no clock, no IO. A store that keeps questions elsewhere does the same with rows,
//! by the same limits and the rules of [`PendingQuestion`].
use std::collections::{HashMap, HashSet};

use overt_wire::Principal;

use super::question::{ANSWERABLE, GRACE};
use super::{Answer, AskOutcome, GrantId, Holder, PendingQuestion, Question, QuestionId, QuestionState};

/// Questions that one principal may ask in a burst, and the seconds until it may ask one more.
const BURST: u64 = 100;
const SECONDS_EACH: u64 = 2;
const MOST_PRINCIPALS: usize = 1_000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PendingApprovals {
    /// The open questions, in the order in which they were asked.
    pub open: Vec<PendingQuestion>,
    /// Sessions that must not ask again.
    pub never: HashSet<Holder>,
}

/// Limits how fast each principal asks.
#[derive(Debug, Clone, Default)]
pub struct Pace {
    /// By principal: the second at which its whole burst is available again.
    full: HashMap<Principal, u64>,
}

impl PendingApprovals {
    /// The most questions that are open at once.
    pub const MOST_OPEN: usize = 256;
    pub const MOST_OPEN_PER_SESSION: usize = 64;
    /// The most calls that wait for the same answer.
    pub const MOST_WAITING: u32 = 10_000;
    /// The most sessions that are remembered as "don't ask again". At the limit a session is not
    /// remembered; it can then ask again, within its pace.
    pub const MOST_NEVER: usize = 10_000;
    /// The most proposals about one server.
    pub const MOST_PROPOSED: usize = 20;
    /// The longest wait of a question, in seconds (one day), whatever deadline it names.
    pub const LONGEST_WAIT: u64 = 24 * 60 * 60;

    /// Opens a question, or joins the same one if it is open. `holds` says whether what the answer
    /// to a question gave still exists. `name` makes the id of a new question.
    pub fn ask(
        &mut self,
        question: &Question,
        pace: &mut Pace,
        now: u64,
        holds: impl FnOnce(&PendingQuestion) -> bool,
        name: impl FnOnce() -> QuestionId,
    ) -> AskOutcome {
        self.sweep(now);
        let holder = &question.holder;
        if self.never.contains(holder) {
            return AskOutcome::Never;
        }
        let until = question.until.min(now.saturating_add(Self::LONGEST_WAIT));
        if let Some(at) = self.open.iter().position(|open| open.question.is_same(question)) {
            let open = &mut self.open[at];
            match open.answer {
                Some(answer) if answer.is_yes() && holds(open) => return AskOutcome::Granted,
                // Another call used up what this yes gave.
                Some(answer) if answer.is_yes() => drop(self.open.remove(at)),
                _ if open.waiting >= Self::MOST_WAITING => return AskOutcome::TooMany,
                _ => {
                    open.waiting += 1;
                    open.question.until = open.question.until.max(until);
                    return AskOutcome::Open(open.id.clone());
                }
            }
        }
        if !self.has_room(holder) || !pace.may_ask(&question.holder.principal, now) {
            return AskOutcome::TooMany;
        }
        let id = name();
        let question = Question { until, ..question.clone() };
        self.open
            .push(PendingQuestion { waiting: 1, ..PendingQuestion::unlisted(id.clone(), question, now) });
        AskOutcome::Open(id)
    }

    /// Keeps a proposal, unless the same one is kept, or too many are.
    pub fn propose(&mut self, proposal: PendingQuestion) {
        let of_server = |open: &&PendingQuestion| {
            open.question.is_proposal() && open.question.server == proposal.question.server
        };
        let is_known = self.open.iter().any(|open| open.question.is_same(&proposal.question));
        let has_room = self.open.iter().filter(of_server).count() < Self::MOST_PROPOSED
            && self.open.len() < Self::MOST_OPEN;
        if !is_known && has_room {
            self.open.push(proposal);
        }
    }

    /// Returns what a question has come to, with the grant of its answer. If it was answered, the
    /// wait of one call ends with it.
    pub fn take_answer(&mut self, id: &QuestionId, now: u64) -> (QuestionState, Option<GrantId>) {
        let found = self.open.iter().find(|open| open.id == *id);
        let Some(open) = found else { return (QuestionState::Gone, None) };
        match open.answer.filter(|_| !is_swept(open, now)) {
            None => (QuestionState::Open, None),
            Some(answer) => {
                let (grant, is_unrecorded) = (open.grant.clone(), open.is_unrecorded);
                self.leave(id, now);
                match is_unrecorded {
                    true => (QuestionState::Unrecorded, None),
                    false => (QuestionState::Answered(answer, None), grant),
                }
            }
        }
    }

    /// Returns a question that can be answered.
    pub fn answerable(&self, id: &QuestionId, now: u64) -> Option<&PendingQuestion> {
        self.open.iter().find(|open| open.id == *id && open.question.until > now)
    }

    /// Keeps what an answer changed in a question. A question that was brought back and that no
    /// call waits for ends.
    pub fn keep(&mut self, changed: PendingQuestion, is_brought: bool) {
        let Some(at) = self.open.iter().position(|open| open.id == changed.id) else { return };
        match is_brought && changed.waiting == 0 {
            true => drop(self.open.remove(at)),
            false => self.open[at] = changed,
        }
    }

    /// See `StateStore::withdraw`.
    pub fn withdraw(&mut self, id: &QuestionId) {
        let is_open = |open: &PendingQuestion| open.id == *id && open.answer.is_none();
        // Where no call waits, nobody needs to be told.
        self.open.retain(|open| !is_open(open) || open.waiting > 0);
        if let Some(open) = self.open.iter_mut().find(|open| is_open(open)) {
            (open.answer, open.is_unrecorded) = (Some(Answer::No), true);
        }
    }

    /// See `StateStore::leave`.
    pub fn leave(&mut self, id: &QuestionId, now: u64) {
        let Some(at) = self.open.iter().position(|open| open.id == *id) else { return };
        let open = &mut self.open[at];
        open.waiting = open.waiting.saturating_sub(1);
        if open.waiting > 0 {
            return;
        }
        open.question.until = open.question.until.min(now.saturating_add(ANSWERABLE));
        if open.answer.is_some() {
            self.open.remove(at);
        }
    }

    pub fn session_ended(&mut self, holder: &Holder) {
        self.open.retain(|open| open.question.holder != *holder);
        self.never.remove(holder);
    }

    /// Returns the questions that still wait for a person.
    pub fn pending(&self, now: u64) -> Vec<PendingQuestion> {
        self.open.iter().filter(|open| open.question.until > now && open.answer.is_none()).cloned().collect()
    }

    /// Answers all questions of the session with a no, and remembers that it must not ask again.
    pub fn never_again(&mut self, holder: Holder) {
        for open in self.open.iter_mut().filter(|open| open.question.holder == holder) {
            (open.answer, open.grant) = (Some(Answer::NoThisSession), None);
        }
        if self.never.len() < Self::MOST_NEVER {
            self.never.insert(holder);
        }
    }

    /// Returns whether one more question fits. To make room, it forgets questions that no call
    /// waits for.
    fn has_room(&mut self, holder: &Holder) -> bool {
        let is_of_session = |open: &PendingQuestion| open.question.holder == *holder;
        let of_session = self.open.iter().filter(|open| is_of_session(open)).count();
        (of_session < Self::MOST_OPEN_PER_SESSION || self.forget_one(is_of_session))
            && (self.open.len() < Self::MOST_OPEN || self.forget_one(|_| true))
    }

    /// Forgets the oldest matching question that has no waiting call and no answer. Returns whether
    /// there was one.
    fn forget_one(&mut self, of: impl Fn(&PendingQuestion) -> bool) -> bool {
        let is_idle = |open: &PendingQuestion| open.waiting == 0 && open.answer.is_none() && of(open);
        let oldest = self.open.iter().position(is_idle);
        oldest.map(|at| self.open.remove(at)).is_some()
    }

    fn sweep(&mut self, now: u64) {
        self.open.retain(|open| !is_swept(open, now));
    }
}

impl Pace {
    /// Counts one more question of a principal, unless it asks too fast.
    pub fn may_ask(&mut self, principal: &Principal, now: u64) -> bool {
        if self.full.len() >= MOST_PRINCIPALS && !self.full.contains_key(principal) {
            self.full.retain(|_, full| *full > now);
            if self.full.len() >= MOST_PRINCIPALS {
                return false;
            }
        }
        let full = self.full.entry(principal.clone()).or_insert(now);
        let next = (*full).max(now) + SECONDS_EACH;
        let may = next - now <= BURST * SECONDS_EACH;
        if may {
            *full = next;
        }
        may
    }
}

fn is_swept(open: &PendingQuestion, now: u64) -> bool {
    let grace = if open.answer.is_some() { GRACE } else { 0 };
    open.question.until.saturating_add(grace) <= now
}

#[cfg(test)]
mod tests;
