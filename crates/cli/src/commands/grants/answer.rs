//! The one way to answer a question from outside its client; `overt grants` and `overt watch` both
//! use it. It checks everything that can forbid an answer before anything is written.
use overt_layers::audit::{Entry, Kind};
use overt_layers::grants::{
    Answer, AnswerOutcome, Extent, Grant, GrantLifetime, PendingQuestion, Question, QuestionKind, Terms,
};
use overt_state::grants::SqliteStore;

use super::authorize::Authorized;
use super::context::DecisionContext;
use super::coverage::accept_asked;
use super::error::{DecisionError, no_question};
use super::record::{Records, entry};
use crate::error::CommandError;
use crate::output::trust_command;

/// The effect of an answer.
#[derive(Debug, Clone)]
pub(in crate::commands) struct Answered {
    /// What was agreed to or refused for good; `None` for a plain no, or an answer about trust.
    pub(in crate::commands) terms: Option<Terms>,
    /// The grant, if it lasts longer than the client's session. The process that asked gives all
    /// others.
    pub(in crate::commands) grant: Option<Grant>,
}

/// Answers one question. The audit record is on disk before the answer takes effect.
pub(in crate::commands) fn answer(
    context: &DecisionContext<'_>,
    store: &SqliteStore,
    open: &PendingQuestion,
    answer: Answer,
    authorized: &Authorized,
) -> Result<Answered, CommandError> {
    check(context, open, answer)?;
    let said = approval(open, answer);
    authorized.check_again(context, &said)?;
    let (id, question) = (&open.id, &open.question);
    let records = Records::open(context)?;
    let terms = answer.terms(question);
    records.write(said.clone())?;
    let failed = match store
        .decide(id, answer)
        .inspect_err(|error| records.record_without_effect(said.clone(), &error.to_string()))?
    {
        AnswerOutcome::Taken => None,
        AnswerOutcome::Before(before) => {
            let answer = if before.is_yes() { "yes" } else { "no" };
            Some(DecisionError::Before { id: id.0.clone(), answer })
        }
        AnswerOutcome::Unfit => Some(wrong_kind(context, open)),
        AnswerOutcome::Gone => Some(no_question(&id.0, &store.questions()?)),
    };
    if let Some(error) = failed {
        records.record_without_effect(said, &error.to_string());
        return Err(error.into());
    }
    if let Answer::Trust(trust) = answer {
        store.set_trust(&question.trusted_tool(), trust)?;
        if question.is_redefined() {
            accept_asked(context, question)?;
        }
    }
    // A lasting grant applies even if the call is never made again. The process that asked gives
    // the same grant too, which counts only once.
    let lasting = terms.clone().filter(|terms| terms.lifetime == GrantLifetime::Always);
    let grant = lasting.map(|terms| store.give(&question.holder, terms)).transpose()?;
    if let Some(grant) = &grant {
        records.write(Entry { kind: Kind::Grant, grant: Some(grant.id.0.clone()), ..said })?;
    }
    Ok(Answered { terms, grant })
}

/// Returns the audit record of an answer.
pub(in crate::commands) fn approval(
    PendingQuestion { id, question, .. }: &PendingQuestion,
    answer: Answer,
) -> Entry {
    let terms = answer.terms(question);
    // A no without terms applies to the project that asks.
    let project = terms.as_ref().map_or(question.project.as_deref(), |terms| terms.project.as_deref());
    let scopes = terms.as_ref().map_or(&question.scopes, |terms| &terms.scopes);
    Entry {
        decision: Some(if answer.is_yes() { "allow" } else { "deny" }),
        reason: Some(format!("{id}: {answer}")),
        intent: Some(question.shown.intent.clone()),
        agent: question.shown.client.clone(),
        ..entry(Kind::Approval, (&question.server, project), &question.tool, scopes)
    }
}

/// Checks that the answer fits the question. Writes nothing.
pub(super) fn check(
    context: &DecisionContext<'_>,
    open: &PendingQuestion,
    answer: Answer,
) -> Result<(), DecisionError> {
    let (id, question) = (open.id.0.clone(), &open.question);
    match answer {
        Answer::Yes { .. } | Answer::NeverInProject if question.kind == QuestionKind::Trust => {
            Err(wrong_kind(context, open))
        }
        Answer::Yes { lifetime, extent, breadth, .. } => {
            check_yes(id, question, (lifetime, extent), question.has(breadth))
        }
        Answer::NoThisSession if !question.holder.has_session() => Err(DecisionError::NoSession(id)),
        Answer::NeverInProject if question.project.is_none() => Err(DecisionError::NoProject(id)),
        Answer::No | Answer::NoThisSession | Answer::NeverInProject | Answer::Trust(_) => Ok(()),
    }
}

fn check_yes(
    id: String,
    question: &Question,
    (lifetime, extent): (GrantLifetime, Extent),
    is_offered: bool,
) -> Result<(), DecisionError> {
    if question.irreversible().is_some() && (lifetime != GrantLifetime::Once || !is_offered) {
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

fn wrong_kind(context: &DecisionContext<'_>, open: &PendingQuestion) -> DecisionError {
    let Question { server, project, .. } = &open.question;
    let command = trust_command(server, project.as_deref(), context.here.as_deref());
    DecisionError::Trust { id: open.id.0.clone(), command }
}
