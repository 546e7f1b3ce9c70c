//! `overt grants allow` and `overt grants deny`, for questions.
use overt_layers::grants::{Answer, Breadth, PendingQuestion, Terms};
use overt_layers::person::{GiveAnswer, PersonAction as _};
use overt_operator::decisions::{Answered, DecisionError, answer, check_fits, is_lasting};
use overt_state::grants::SqliteStore;
use overt_wire::json::Object;

use super::context::DecisionContext;
use crate::error::{CommandError, Exit};
use crate::output::{answered_words, scope_words};
use crate::settings::{ApprovalTerms, RefusalExtent};

/// Allows the calls of all these questions. If the answer does not fit one of them, answers none.
pub(super) fn allow(
    context: &DecisionContext<'_>,
    ids: &[String],
    yes: ApprovalTerms,
    breadth: Breadth,
) -> Result<Exit, CommandError> {
    let (store, open) = context.questions(ids)?;
    let answer =
        Answer::Yes { lifetime: yes.lifetime, extent: yes.extent, breadth, expires: end(context, yes) };
    decide_all(context, &store, &open, answer, |terms| check_danger(terms, yes))
}

/// Refuses the calls of all these questions. If the answer does not fit one of them, answers none.
pub(super) fn deny(
    context: &DecisionContext<'_>,
    ids: &[String],
    no: RefusalExtent,
) -> Result<Exit, CommandError> {
    let (store, open) = context.questions(ids)?;
    let answer = match no {
        RefusalExtent::Call => Answer::No,
        RefusalExtent::Session => Answer::NoThisSession,
        RefusalExtent::Project => Answer::NeverInProject,
    };
    decide_all(context, &store, &open, answer, |_| Ok(()))
}

fn decide_all(
    context: &DecisionContext<'_>,
    store: &SqliteStore,
    open: &[PendingQuestion],
    said: Answer,
    allowed: impl Fn(&Terms) -> Result<(), DecisionError>,
) -> Result<Exit, CommandError> {
    let operator = context.operator();
    for one in open {
        check_fits(&operator, one, said)?;
        said.terms(&one.question).as_ref().map_or(Ok(()), &allowed)?;
    }
    let about =
        open.iter().filter_map(|one| GiveAnswer::elsewhere(one, said)).flat_map(|given| given.intent());
    let proof = operator.prove(about)?;
    for one in open {
        let answered = answer(&operator, &operator.proven(proof), store, one, said)?;
        say(context, one, said, &answered)?;
    }
    Ok(Exit::Ok)
}

fn say(
    context: &DecisionContext<'_>,
    open: &PendingQuestion,
    said: Answer,
    answered: &Answered,
) -> Result<Exit, CommandError> {
    let data = Object::new().string("question", &open.id.0);
    let data = match (said.is_yes(), &answered.terms) {
        (true, Some(terms)) => data
            .string("answer", "yes")
            .string("lasts", &terms.lifetime.to_string())
            .maybe("project", terms.project.as_deref())
            .value("scopes", &scope_words(&terms.scopes)),
        _ => data.string("answer", "no").string(
            "extent",
            match said {
                Answer::NoThisSession => "session",
                Answer::NeverInProject => "project",
                Answer::No | Answer::Yes { .. } | Answer::Trust(_) | Answer::TrustThisSession(_) => "call",
            },
        ),
    };
    let grant = answered.grant.as_ref().filter(|grant| is_lasting(grant));
    let data = data.maybe("grant", grant.map(|grant| grant.id.0.as_str())).finish();
    context.say(&data, &answered_words(&open.id, said, answered.terms.as_ref()))
}

/// Ensures that a lasting grant for everything needs an explicit option (SCP-13).
pub(super) fn check_danger(terms: &Terms, yes: ApprovalTerms) -> Result<(), DecisionError> {
    match terms.is_too_wide_to_last() {
        Some(scope) if !yes.dangerous => Err(DecisionError::Dangerous(scope.clone())),
        _ => Ok(()),
    }
}

/// Returns when a yes expires.
pub(super) fn end(context: &DecisionContext<'_>, yes: ApprovalTerms) -> Option<u64> {
    Some(context.command.clock.now().saturating_add(yes.at_most?.as_secs()))
}
