//! How a person is asked: through the client, in the way of its era, and in the store, where somebody may answer from
//! elsewhere. The first clear answer counts; of two at once, the no (SCP-09).
use std::time::{Duration, Instant};

use overt_wire::era::{Era, key};
use overt_wire::json::{JsonBuf, Object};
use overt_wire::{Exchange, Message};

use super::question;
use super::rounds::{Rounds, Stage, asking};
use crate::grants::{Answer, Asked, GrantStore, Question, QuestionId, StoreError};

/// What became of a question.
#[derive(Debug)]
pub(super) enum Reply {
    Answered(Answer),
    /// The client brings the answer with its next request.
    InResult(Message),
    /// Nobody could be asked, or nobody answered in time. Under this name somebody still may.
    Unanswered(Option<QuestionId>),
}

/// How often is looked whether somebody answered elsewhere.
const LOOK: Duration = Duration::from_millis(200);
/// How long a person who is asked through the client may take, where nothing else is said.
const PATIENCE: Duration = Duration::from_secs(600);

/// Asks whoever can be asked.
pub(super) async fn ask(
    exchange: &Exchange,
    question: &Question,
    store: &dyn GrantStore,
    rounds: &Rounds,
    wait: Duration,
    server: &JsonBuf,
) -> Result<Reply, StoreError> {
    let id = match store.ask(question)? {
        Asked::Open(id) => id,
        Asked::Never => return Ok(Reply::Answered(Answer::NeverThisSession)),
        Asked::TooMany => return Ok(Reply::Unanswered(None)),
    };
    // Somebody may have answered since the call was last tried.
    if store.answer(&id)?.is_some() {
        return closed(store, id, None);
    }
    let through_client = exchange.caller.can("elicitation");
    if through_client && exchange.caller.era() == Era::Modern {
        let stage = Stage::Asked { question: Some(id.0.clone()) };
        let state = rounds.give(exchange, stage);
        let result = state.and_then(|state| in_result(exchange, question, &state, server));
        return Ok(result.map_or(Reply::Unanswered(Some(id)), Reply::InResult));
    }
    if through_client {
        let deadline = Instant::now() + if wait.is_zero() { PATIENCE } else { wait };
        let form = question::form(question);
        let asked = exchange.outlet.request("elicitation/create", Some(form.as_json()));
        let here = tokio::select! {
            biased;
            there = elsewhere(store, &id, deadline) => there?,
            // An approver who is gone, or can't answer, has not said yes.
            reply = asked => Some(reply.ok().and_then(|reply| {
                reply.result_body().value().map(question::answer)
            }).unwrap_or(Answer::No)),
        };
        return match here {
            Some(_) => closed(store, id, here),
            None => left(store, id),
        };
    }
    if wait.is_zero() || !store.is_shared() {
        return left(store, id);
    }
    match elsewhere(store, &id, Instant::now() + wait).await? {
        Some(_) => closed(store, id, None),
        None => left(store, id),
    }
}

/// The answer that a newer client brought.
pub(super) fn brought(
    answer: &JsonBuf,
    id: Option<String>,
    store: &dyn GrantStore,
) -> Result<Answer, StoreError> {
    let said = question::answer(answer.as_json());
    match id {
        Some(id) => Ok(store.close(&QuestionId(id), Some(said))?.unwrap_or(Answer::No)),
        None => Ok(said),
    }
}

fn closed(store: &dyn GrantStore, id: QuestionId, here: Option<Answer>) -> Result<Reply, StoreError> {
    let counts = store.close(&id, here)?;
    Ok(counts.map_or(Reply::Unanswered(Some(id)), Reply::Answered))
}

/// Somebody may still answer, for when the call is tried again.
fn left(store: &dyn GrantStore, id: QuestionId) -> Result<Reply, StoreError> {
    store.leave(&id)?;
    Ok(Reply::Unanswered(Some(id)))
}

/// Waits for an answer from another process. None when the time is over.
async fn elsewhere(
    store: &dyn GrantStore,
    id: &QuestionId,
    deadline: Instant,
) -> Result<Option<Answer>, StoreError> {
    loop {
        if let Some(answer) = store.answer(id)? {
            return Ok(Some(answer));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        tokio::time::sleep(left.min(LOOK)).await;
    }
}

fn in_result(exchange: &Exchange, question: &Question, state: &str, server: &JsonBuf) -> Option<Message> {
    let form = question::form(question);
    let meta = Object::new().json(key::SERVER_INFO, server.as_json()).finish();
    let result = asking(&form, state).json("_meta", meta.as_json()).finish();
    Some(Message::result(exchange.message.id()?, result.as_json()))
}
