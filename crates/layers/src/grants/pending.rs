//! Open questions. A question is asked only once, their number is limited, and the first answer
//! counts. Pure: no clock, no IO. A store that keeps questions elsewhere loads them into this type,
//! performs one operation, and reads them back.
use std::collections::{HashMap, HashSet};

use super::{Answer, AnswerOutcome, AskOutcome, GrantLifetime, PendingQuestion, Question, QuestionId};

/// The most questions that are open at once.
const MOST_OPEN: usize = 256;
const MOST_OPEN_PER_SESSION: usize = 64;
/// The most calls that wait for the same answer.
const MOST_WAITING: u32 = 10_000;
/// The most sessions that are remembered as "don't ask again".
const MOST_NEVER: usize = 10_000;
/// For this many seconds after the deadline, a timely answer can still be fetched.
const GRACE: u64 = 5;
/// The longest wait of a question, in seconds (one day), whatever deadline it names.
const LONGEST_WAIT: u64 = 24 * 60 * 60;
/// Questions that one principal may ask in a burst, and the seconds until it may ask one more.
const BURST: u64 = 100;
const SECONDS_EACH: u64 = 2;
const MOST_PRINCIPALS: usize = 1_000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PendingApprovals {
    /// The open questions, in the order in which they were asked.
    pub open: Vec<PendingQuestion>,
    /// Sessions that must not ask again.
    pub never: HashSet<String>,
}

/// Limits how fast each principal asks.
#[derive(Debug, Clone, Default)]
pub struct Pace {
    /// By principal: the second at which its whole burst is available again.
    full: HashMap<String, u64>,
}

impl PendingApprovals {
    /// Opens a question, or joins the same one if it is open. `name` makes the id of a new
    /// question.
    pub fn ask(
        &mut self,
        question: &Question,
        pace: &mut Pace,
        now: u64,
        name: impl FnOnce() -> QuestionId,
    ) -> AskOutcome {
        self.sweep(now);
        let session = &question.holder.session;
        if self.never.contains(session) {
            return AskOutcome::Never;
        }
        let until = question.until.min(now.saturating_add(LONGEST_WAIT));
        if let Some(open) = self.open.iter_mut().find(|open| open.question.is_same(question)) {
            if open.waiting >= MOST_WAITING {
                return AskOutcome::TooMany;
            }
            open.waiting += 1;
            open.question.until = open.question.until.max(until);
            return AskOutcome::Open(open.id.clone());
        }
        if !self.has_room(session) || !pace.may_ask(&question.holder.principal, now) {
            return AskOutcome::TooMany;
        }
        let id = name();
        let question = Question { until, ..question.clone() };
        self.open.push(PendingQuestion { id: id.clone(), question, asked: now, answer: None, waiting: 1 });
        AskOutcome::Open(id)
    }

    pub fn answer(&self, id: &QuestionId, now: u64) -> Option<Answer> {
        self.open.iter().find(|open| open.id == *id && !is_swept(open, now))?.answer
    }

    pub fn decide(&mut self, id: &QuestionId, answer: Answer, now: u64) -> AnswerOutcome {
        self.sweep(now);
        let Some(open) = self.open.iter_mut().find(|open| open.id == *id && open.question.until > now) else {
            return AnswerOutcome::Gone;
        };
        let Some(answer) = answer.fitting(&open.question) else { return AnswerOutcome::Unfit };
        let counts = Answer::stricter(open.answer, Some(answer));
        if let Some(before) = open.answer.filter(|before| counts == Some(*before)) {
            return AnswerOutcome::Before(before);
        }
        open.answer = counts;
        if answer == Answer::NoThisSession {
            let session = open.question.holder.session.clone();
            self.never_again(session);
        }
        AnswerOutcome::Taken
    }

    /// See `GrantStore::close`.
    pub fn close(&mut self, id: &QuestionId, here: Option<Answer>, now: u64) -> Option<Answer> {
        self.sweep(now);
        let at = self.open.iter().position(|open| open.id == *id)?;
        let open = &mut self.open[at];
        let here = here.and_then(|answer| answer.fitting(&open.question));
        let counts = Answer::stricter(open.answer, here);
        open.waiting = open.waiting.saturating_sub(1);
        // A yes for one call belongs to the call that takes it. The other calls keep waiting.
        open.answer =
            counts.filter(|answer| !matches!(answer, Answer::Yes { lifetime: GrantLifetime::Once, .. }));
        let session = open.question.holder.session.clone();
        if open.waiting == 0 {
            self.open.remove(at);
        }
        if here == Some(Answer::NoThisSession) {
            self.never_again(session);
        }
        counts
    }

    /// See `GrantStore::leave`.
    pub fn leave(&mut self, id: &QuestionId) {
        if let Some(open) = self.open.iter_mut().find(|open| open.id == *id) {
            open.waiting = open.waiting.saturating_sub(1);
        }
    }

    pub fn session_ended(&mut self, session: &str) {
        self.open.retain(|open| open.question.holder.session != session);
        self.never.remove(session);
    }

    /// Returns the questions that still wait for a person.
    pub fn pending(&self, now: u64) -> Vec<PendingQuestion> {
        self.open.iter().filter(|open| open.question.until > now && open.answer.is_none()).cloned().collect()
    }

    /// Answers all questions of the session with a no, and remembers that it must not ask again.
    fn never_again(&mut self, session: String) {
        for open in self.open.iter_mut().filter(|open| open.question.holder.session == session) {
            open.answer = Some(Answer::NoThisSession);
        }
        // At the limit the session is not remembered. It can then ask again, within its pace.
        if self.never.len() < MOST_NEVER {
            self.never.insert(session);
        }
    }

    /// Returns whether one more question fits. To make room, it forgets questions that no call
    /// waits for.
    fn has_room(&mut self, session: &str) -> bool {
        let is_of_session = |open: &PendingQuestion| open.question.holder.session == session;
        let of_session = self.open.iter().filter(|open| is_of_session(open)).count();
        (of_session < MOST_OPEN_PER_SESSION || self.forget_one(is_of_session))
            && (self.open.len() < MOST_OPEN || self.forget_one(|_| true))
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
    pub(crate) fn may_ask(&mut self, principal: &str, now: u64) -> bool {
        if self.full.len() >= MOST_PRINCIPALS && !self.full.contains_key(principal) {
            self.full.retain(|_, full| *full > now);
            if self.full.len() >= MOST_PRINCIPALS {
                return false;
            }
        }
        let full = self.full.entry(principal.to_owned()).or_insert(now);
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
