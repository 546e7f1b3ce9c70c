//! The inbox: which questions are open, answering them, and taking answers back.
use std::time::{Duration, Instant};

use overt_layers::grants::{Answer, Grant, PendingQuestion, Question, QuestionId, Review, StoreError};
use overt_layers::person::{Person, PersonCheck};
use overt_state::grants::SqliteStore;

use super::letters::Reply;
use crate::decisions::{Answered, answer, forget_trust, no_grant, revoke};
use crate::error::{OperatorError, outside_error, user_error};
use crate::not_answerer::NotAnswerer;
use crate::operator::Operator;
use crate::person_check::PersonProof;
use crate::text::one_line;
use crate::words::answered_words;

/// The store of questions, and the answers that were given here.
#[derive(Debug)]
pub struct InboxStore<'a> {
    operator: Operator<'a>,
    store: SqliteStore,
    access: Access,
    /// Answers that can be taken back. Answers that were given together are taken back together.
    answered: Vec<Vec<GivenAnswer>>,
    /// Since when the store can't be read; `None` while it can.
    failing: Option<Instant>,
}

/// What the process that opened the inbox may do.
#[derive(Debug)]
enum Access {
    Person(PersonProof),
    /// Only read: the process can't show that a person uses it, for this reason.
    ReadOnly(String),
}

/// An answer that was given in this inbox.
#[derive(Debug)]
struct GivenAnswer {
    id: QuestionId,
    server: String,
    project: Option<String>,
    answer: Answer,
    answered: Answered,
}

/// The path of the database below the state folder.
const DATABASE: &str = "grants/grants.db";
/// How long the store may be unreadable before that is an error.
const LONGEST_FAILURE: Duration = Duration::from_secs(5);
/// The most groups of answers that can be taken back.
const MOST_ANSWERED: usize = 1_000;

impl<'a> InboxStore<'a> {
    /// Opens the store. If a person opens it, calls wait for an answer from now on. A process that
    /// can't show that can only read.
    pub fn open(operator: Operator<'a>) -> Result<Self, OperatorError> {
        let store = operator.new_store()?;
        let access = match operator.prove_or_look()? {
            Ok(proof) => {
                store.listen()?;
                Access::Person(proof)
            }
            Err(refused) => {
                let remedy = refused.remedy().map(|remedy| format!("; {remedy}")).unwrap_or_default();
                Access::ReadOnly(one_line(&format!("{refused}{remedy}")))
            }
        };
        Ok(Self { operator, store, access, answered: Vec::new(), failing: None })
    }

    /// Returns why nothing can be answered here, or `None` if answers are possible.
    pub fn read_only(&self) -> Option<&str> {
        match &self.access {
            Access::Person(_) => None,
            Access::ReadOnly(why) => Some(why),
        }
    }

    pub fn now(&self) -> u64 {
        self.operator.clock.now()
    }

    /// Returns the open questions, or `None` if the store can't be read at the moment, for example
    /// because another process holds it.
    pub fn questions(&mut self) -> Result<Option<Vec<PendingQuestion>>, OperatorError> {
        let folder = self.operator.state;
        if !folder.join(DATABASE).exists() {
            let folder = folder.display();
            return Err(outside_error(format!(
                "the store in `{folder}` is gone, so no question comes any more"
            ))
            .hinted("start it again"));
        }
        match self.store.questions() {
            Ok(open) => {
                self.failing = None;
                Ok(Some(open))
            }
            Err(_) if self.failing.get_or_insert_with(Instant::now).elapsed() < LONGEST_FAILURE => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the review that was kept with a question.
    pub fn review(&self, id: &QuestionId) -> Result<Option<Review>, StoreError> {
        self.store.review(id)
    }

    /// Gives these questions the same answer. Returns which of them are answered, and a message for
    /// the person.
    pub fn answer(&mut self, asked: &[&PendingQuestion], reply: Reply) -> (Vec<QuestionId>, String) {
        let (mut given, mut words) = (Vec::new(), String::new());
        for open in asked {
            match self.answer_one(open, reply) {
                Ok((one, said)) => {
                    given.push(one);
                    words = said;
                }
                Err(failure) => {
                    words = failure_words(&failure);
                    break;
                }
            }
        }
        let ids: Vec<QuestionId> = given.iter().map(|given| given.id.clone()).collect();
        if ids.len() > 1 && ids.len() == asked.len() {
            words = format!("{} questions are answered; the last: {words}", ids.len());
        }
        if !given.is_empty() {
            self.answered.push(given);
        }
        if self.answered.len() > MOST_ANSWERED {
            self.answered.remove(0);
        }
        (ids, words)
    }

    fn answer_one(
        &self,
        open: &PendingQuestion,
        reply: Reply,
    ) -> Result<(GivenAnswer, String), OperatorError> {
        let said = reply
            .answer(open, self.now())
            .ok_or_else(|| user_error(format!("{} does not offer that", open.id)))?;
        let answered = answer(&self.operator, &self.check(), &self.store, open, said)?;
        let words = answered_words(&open.id, said, answered.terms.as_ref());
        let Question { server, project, .. } = open.question.clone();
        Ok((GivenAnswer { id: open.id.clone(), server, project, answer: said, answered }, words))
    }

    /// Takes the last answer back, as far as that is still possible. Returns a message for the
    /// person.
    pub fn take_back(&mut self) -> String {
        let Some(given) = self.answered.pop() else {
            return "nothing was answered here that could be taken back".to_owned();
        };
        let words = given.iter().map(|given| self.take_back_one(given));
        words.last().unwrap_or_default()
    }

    fn take_back_one(&self, GivenAnswer { id, server, project, answer, answered }: &GivenAnswer) -> String {
        let Some(grant) = &answered.grant else {
            return match answer {
                Answer::Trust(_) | Answer::TrustThisSession(_) => {
                    match forget_trust(&self.operator, &self.store, server, project.as_deref()) {
                        Ok(_) => format!("{id}: taken back; the next call of this server asks again"),
                        Err(failure) => failure_words(&failure),
                    }
                }
                Answer::NoThisSession => {
                    format!("{id}: can't be taken back; the session is refused until it ends")
                }
                _ => format!(
                    "{id}: the no was for one call, and nothing remains of it; the same call asks again"
                ),
            };
        };
        let live = match self.store.grants() {
            Ok(live) => live,
            Err(error) => return one_line(&format!("not done: {error}")),
        };
        let Some(grant) = live.iter().find(|live| live.id == grant.id) else {
            return format!(
                "{id}: the call has run already, or its session is over; nothing is left to take back"
            );
        };
        match self.end(grant) {
            Ok(()) => format!("{id}: taken back, {} is revoked; the next such call asks again", grant.id),
            Err(failure) => failure_words(&failure),
        }
    }

    /// Revokes a grant. To end a refusal allows more, so only a person may do it.
    fn end(&self, grant: &Grant) -> Result<(), OperatorError> {
        revoke(&self.operator, &self.check(), &self.store, [grant])
    }

    /// Revokes one grant, whether or not an answer of this inbox gave it.
    pub fn revoke(&self, id: &str) -> Result<String, OperatorError> {
        let live = self.store.grants()?;
        let grant = live.iter().find(|grant| grant.id.0 == id).ok_or_else(|| no_grant(id, &live))?;
        self.end(grant)?;
        Ok(format!("{id} is revoked; the next such call asks again"))
    }

    /// Returns the check of the person for changes that this process makes.
    pub fn check(&self) -> InboxCheck<'_> {
        InboxCheck(self)
    }

    pub fn operator(&self) -> &Operator<'a> {
        &self.operator
    }

    pub fn store(&self) -> &SqliteStore {
        &self.store
    }
}

/// The check of the person who uses an inbox.
#[derive(Debug)]
pub struct InboxCheck<'a>(&'a InboxStore<'a>);

impl PersonCheck for InboxCheck<'_> {
    type Refusal = NotAnswerer;

    fn person(&self) -> Result<Person, NotAnswerer> {
        let operator = &self.0.operator;
        match self.0.access {
            Access::Person(proof) => operator.proven(proof).person(),
            Access::ReadOnly(_) => operator.answerer().person(),
        }
    }

    fn anybody(&self) -> Person {
        self.0.operator.answerer().anybody()
    }
}

/// Returns a failure as one line for the person.
pub fn failure_words(failure: &OperatorError) -> String {
    let hint = failure.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
    one_line(&format!("not done: {}{hint}", failure.error))
}
