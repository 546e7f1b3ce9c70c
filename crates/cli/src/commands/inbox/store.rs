//! The inbox: which questions are open, answering them, and taking answers back.
use std::time::{Duration, Instant};

use overt_layers::audit::Entry;
use overt_layers::grants::{
    Answer, Grant, GrantVerdict, Holder, PendingQuestion, Question, QuestionId, Review, StoreError, Terms,
};
use overt_state::grants::SqliteStore;

use super::letters::Reply;
use crate::commands::grants::{
    Answered, Authorized, DecisionContext, answer, approval, authorize_answerer, authorize_or_look,
    forget_trust, no_grant, revocation, take_back,
};
use crate::error::{CommandError, outside_error, user_error};
use crate::output::{answered_words, inbox_text, one_line};

/// The store of questions, and the answers that were given here.
pub(in crate::commands) struct InboxStore<'a> {
    context: &'a DecisionContext<'a>,
    store: SqliteStore,
    access: Access,
    /// Answers that can be taken back. Answers that were given together are taken back together.
    answered: Vec<Vec<GivenAnswer>>,
    /// Since when the store can't be read; `None` while it can.
    failing: Option<Instant>,
}

/// What the process that opened the inbox may do.
enum Access {
    Person(Authorized),
    /// Only read: the process can't show that a person uses it, for this reason.
    ReadOnly(String),
}

/// An answer that was given in this inbox.
struct GivenAnswer {
    id: QuestionId,
    server: String,
    project: Option<String>,
    holder: Holder,
    answer: Answer,
    answered: Answered,
}

/// The path of the database below the state folder.
const DATABASE: &str = "grants/grants.db";
/// How long the store may be unreadable before that is an error.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most groups of answers that can be taken back.
const MOST_ANSWERED: usize = 1_000;

impl<'a> InboxStore<'a> {
    /// Opens the store. If a person opens it, calls wait for an answer from now on. A process that
    /// can't show that can only read.
    pub(in crate::commands) fn open(context: &'a DecisionContext<'a>) -> Result<Self, CommandError> {
        let store = context.new_store()?;
        let access = match authorize_or_look(context)? {
            Ok(authorized) => {
                store.listen()?;
                Access::Person(authorized)
            }
            Err(refused) => {
                let remedy = refused.remedy().map(|remedy| format!("; {remedy}")).unwrap_or_default();
                Access::ReadOnly(one_line(&format!("{refused}{remedy}")))
            }
        };
        Ok(Self { context, store, access, answered: Vec::new(), failing: None })
    }

    /// Returns why nothing can be answered here, or `None` if answers are possible.
    pub(in crate::commands) fn read_only(&self) -> Option<&str> {
        match &self.access {
            Access::Person(_) => None,
            Access::ReadOnly(why) => Some(why),
        }
    }

    pub(in crate::commands) fn now(&self) -> u64 {
        self.context.command.clock.now()
    }

    /// Returns the open questions, or `None` if the store can't be read at the moment, for example
    /// because another process holds it.
    pub(in crate::commands) fn questions(&mut self) -> Result<Option<Vec<PendingQuestion>>, CommandError> {
        let folder = self.context.state.path();
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
            Err(_) if self.failing.get_or_insert_with(Instant::now).elapsed() < PATIENCE => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the review that was kept with a question.
    pub(in crate::commands) fn review(&self, id: &QuestionId) -> Result<Option<Review>, StoreError> {
        self.store.review(id)
    }

    /// Returns the full text of a question.
    pub(in crate::commands) fn details(&self, open: &PendingQuestion) -> Result<String, StoreError> {
        Ok(inbox_text(open, self.store.review(&open.id)?.as_ref()))
    }

    /// Gives these questions the same answer. Returns which of them are answered, and a message for
    /// the person.
    pub(in crate::commands) fn answer(
        &mut self,
        asked: &[&PendingQuestion],
        reply: Reply,
    ) -> (Vec<QuestionId>, String) {
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
    ) -> Result<(GivenAnswer, String), CommandError> {
        let said = reply
            .answer(open, self.now())
            .ok_or_else(|| user_error(format!("{} does not offer that", open.id)))?;
        let answered = match &self.access {
            Access::Person(authorized) => answer(self.context, &self.store, open, said, authorized)?,
            // This is refused again, and the attempt is recorded.
            Access::ReadOnly(_) => {
                let authorized = authorize_answerer(self.context, [approval(open, said)])?;
                answer(self.context, &self.store, open, said, &authorized)?
            }
        };
        let words = answered_words(&open.id, said, answered.terms.as_ref());
        let Question { holder, server, project, .. } = open.question.clone();
        Ok((GivenAnswer { id: open.id.clone(), server, project, holder, answer: said, answered }, words))
    }

    /// Takes the last answer back, as far as that is still possible. Returns a message for the
    /// person.
    pub(in crate::commands) fn take_back(&mut self) -> String {
        let Some(given) = self.answered.pop() else {
            return "nothing was answered here that could be taken back".to_owned();
        };
        let words = given.iter().map(|given| self.take_back_one(given));
        words.last().unwrap_or_default()
    }

    fn take_back_one(
        &self,
        GivenAnswer { id, server, project, holder, answer, answered }: &GivenAnswer,
    ) -> String {
        let Some(terms) = &answered.terms else {
            return match answer {
                Answer::Trust(_) => match forget_trust(self.context, &self.store, server, project.as_deref())
                {
                    Ok(()) => format!("{id}: taken back; the next call of this server asks again"),
                    Err(failure) => failure_words(&failure),
                },
                _ => format!(
                    "{id}: the no was for one call, and nothing remains of it; the same call asks again"
                ),
            };
        };
        let found = match self.grants(holder, terms) {
            Ok(found) if found.is_empty() => {
                return format!(
                    "{id}: the call has run already, or its session is over; nothing is left to take back"
                );
            }
            Ok(found) => found,
            Err(error) => return one_line(&format!("not done: {error}")),
        };
        if let Err(failure) = take_back(self.context, &self.store, &found.iter().collect::<Vec<_>>()) {
            return failure_words(&failure);
        }
        let ids: Vec<String> = found.iter().map(|grant| grant.id.to_string()).collect();
        format!("{id}: taken back, {} is revoked; the next such call asks again", ids.join(", "))
    }

    /// Revokes one grant, whether or not an answer of this inbox gave it.
    pub(in crate::commands) fn revoke(&self, id: &str) -> Result<String, CommandError> {
        let live = self.store.grants()?;
        let grant = live.iter().find(|grant| grant.id.0 == id).ok_or_else(|| no_grant(id, &live))?;
        // Revoking a refusal allows more, so only a person may do it.
        if grant.terms.verdict == GrantVerdict::Refuse {
            self.check_person(&revocation(grant))?;
        }
        take_back(self.context, &self.store, &[grant])?;
        Ok(format!("{id} is revoked; the next such call asks again"))
    }

    /// Succeeds if a person decides this. A refused attempt is recorded.
    pub(in crate::commands) fn check_person(&self, about: &Entry) -> Result<(), CommandError> {
        match &self.access {
            Access::Person(authorized) => authorized.check_again(self.context, about),
            Access::ReadOnly(_) => authorize_answerer(self.context, [about.clone()]).map(drop),
        }
    }

    /// Returns the context for commands about grants and trust.
    pub(in crate::commands) fn context(&self) -> &DecisionContext<'a> {
        self.context
    }

    /// Returns the grants that were given with these terms.
    fn grants(&self, holder: &Holder, terms: &Terms) -> Result<Vec<Grant>, StoreError> {
        let is_it = |grant: &Grant| grant.terms == *terms && grant.holder == *holder;
        Ok(self.store.grants()?.into_iter().filter(is_it).collect())
    }
}

/// Returns a failure as one line for the person.
pub(in crate::commands) fn failure_words(failure: &CommandError) -> String {
    let hint = failure.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
    one_line(&format!("not done: {}{hint}", failure.error))
}
