//! The one way to answer a question from outside its client. It checks everything that can forbid
//! an answer before anything is written.
use overt_layers::grants::{
    Answer, AnswerOutcome, Extent, Grant, GrantLifetime, PendingQuestion, Question, QuestionKind, Terms,
};
use overt_layers::person::{GiveAnswer, PersonCheck};
use overt_state::grants::SqliteStore;

use super::coverage::accept_asked;
use super::error::{DecisionError, no_question};
use crate::error::OperatorError;
use crate::not_answerer::NotAnswerer;
use crate::operator::Operator;
use crate::words::trust_command;

/// The effect of an answer.
#[derive(Debug, Clone)]
pub struct Answered {
    /// What was agreed to or refused for good; `None` for a plain no, or an answer about trust.
    pub terms: Option<Terms>,
    pub grant: Option<Grant>,
}

/// Answers one question. The audit record is on disk before the answer takes effect.
pub fn answer<C: PersonCheck<Refusal = NotAnswerer>>(
    operator: &Operator<'_>,
    check: &C,
    store: &SqliteStore,
    open: &PendingQuestion,
    answer: Answer,
) -> Result<Answered, OperatorError> {
    check_fits(operator, open, answer)?;
    let given = GiveAnswer::elsewhere(open, answer).ok_or_else(|| wrong_kind(operator, open))?;
    let outcome = operator.act(check, given, |answer| store.answer(&answer))?;
    let grant = match outcome {
        AnswerOutcome::Taken(given) => given.map(|given| given.grant),
        AnswerOutcome::Before(before) => {
            let answer = if before.is_yes() { "yes" } else { "no" };
            return Err(DecisionError::Before { id: open.id.0.clone(), answer }.into());
        }
        AnswerOutcome::Gone => return Err(no_question(&open.id.0, &store.questions()?).into()),
    };
    if matches!(answer, Answer::Trust(_)) && open.question.is_redefined() {
        // The answer counts. Without the pin, the tool is held back until it is accepted.
        if let Err(error) = accept_asked(operator, check, &open.question) {
            tracing::error!("the new definition is not accepted where definitions are remembered: {error}");
        }
    }
    Ok(Answered { terms: answer.terms(&open.question), grant })
}

/// Checks that the answer fits the question. Writes nothing.
pub fn check_fits(
    operator: &Operator<'_>,
    open: &PendingQuestion,
    answer: Answer,
) -> Result<(), DecisionError> {
    let (id, question) = (open.id.0.clone(), &open.question);
    match answer {
        Answer::Yes { .. } | Answer::NeverInProject
            if question.kind == QuestionKind::Trust && answer.fitting(question).is_none() =>
        {
            Err(wrong_kind(operator, open))
        }
        Answer::Yes { lifetime, extent, breadth, .. } => {
            check_yes(id, question, (lifetime, extent), question.has(breadth))
        }
        Answer::NoThisSession | Answer::TrustThisSession(_) if !question.holder.has_session() => {
            Err(DecisionError::NoSession(id))
        }
        Answer::NeverInProject if question.project.is_none() => Err(DecisionError::NoProject(id)),
        Answer::No
        | Answer::NoThisSession
        | Answer::NeverInProject
        | Answer::Trust(_)
        | Answer::TrustThisSession(_) => Ok(()),
    }
}

fn check_yes(
    id: String,
    question: &Question,
    (lifetime, extent): (GrantLifetime, Extent),
    is_offered: bool,
) -> Result<(), DecisionError> {
    if question.is_for_this_call_alone() && (lifetime != GrantLifetime::Once || !is_offered) {
        return Err(DecisionError::OnlyOnce(id));
    }
    if !is_offered {
        return Err(DecisionError::NothingWider(id));
    }
    match (lifetime, extent) {
        (GrantLifetime::Session, _) if !question.holder.has_session() => Err(DecisionError::NoSession(id)),
        (GrantLifetime::Always, Extent::Project) if question.project.is_none() => {
            Err(DecisionError::NoProject(id))
        }
        _ => Ok(()),
    }
}

fn wrong_kind(operator: &Operator<'_>, open: &PendingQuestion) -> DecisionError {
    let Question { server, project, .. } = &open.question;
    let command = trust_command(server, project.as_deref(), operator.here.as_deref());
    DecisionError::Trust { id: open.id.0.clone(), command }
}
