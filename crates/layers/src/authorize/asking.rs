//! How a person is asked: through the client, in the way of its era, and in the store, where somebody may answer from
//! elsewhere. The first clear answer counts; of two at once, the no (SCP-09).
use std::time::{Duration, Instant};

use overt_wire::Message;
use overt_wire::era::{Era, key};
use overt_wire::json::{JsonBuf, Object};

use super::case::Case;
use super::question::{self, Offer};
use super::rounds::{AskedInResult, LIFETIME, Rounds, Stage, asking};
use crate::grants::{ANSWERABLE, Answer, Asked, Clock, GrantStore, Question, QuestionId, StoreError};

/// What became of a question.
#[derive(Debug)]
pub(super) enum Reply {
    Answered(Answer),
    /// The client brings the answer with its next request.
    InResult(Message),
    /// Nobody could be asked, or nobody answered in time. Under this name somebody still may.
    Unanswered(Option<QuestionId>),
}

/// How a person can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// The client asks while the call waits.
    Dialog,
    /// The client gets the question as a result.
    InResult,
    /// Only somebody who looks into the store.
    Elsewhere,
}

/// A call's place among those that wait for an answer. It is given up however the call ends, also when it is cancelled.
#[derive(Debug)]
struct Place<'a> {
    store: &'a dyn GrantStore,
    id: QuestionId,
    /// There is no session in which the same call could be made again.
    is_of_request: bool,
    is_open: bool,
}

/// How often is looked whether somebody answered elsewhere.
const LOOK: Duration = Duration::from_millis(200);
/// How long a person who is asked through the client may take, where nothing else is said.
const PATIENCE: Duration = Duration::from_secs(600);

/// Asks whoever can be asked.
pub(super) async fn ask(
    case: &Case<'_>,
    question: &Question,
    store: &dyn GrantStore,
    rounds: &Rounds,
    wait: Duration,
    server: &JsonBuf,
) -> Result<Reply, StoreError> {
    let caller = &case.exchange.caller;
    let way = match (caller.can("elicitation"), caller.era()) {
        (false, _) => Way::Elsewhere,
        (true, Era::Modern) => Way::InResult,
        (true, Era::Legacy) => Way::Dialog,
    };
    let patience = match way {
        Way::InResult => LIFETIME,
        Way::Dialog if wait.is_zero() => PATIENCE,
        Way::Dialog | Way::Elsewhere => wait,
    };
    let until = Clock::default().now().saturating_add(patience.as_secs()).saturating_add(ANSWERABLE);
    let question = &Question { until, ..question.clone() };
    let id = match store.ask(question)? {
        Asked::Open(id) => id,
        Asked::Never => return Ok(Reply::Answered(Answer::NeverThisSession)),
        Asked::TooMany => return Ok(Reply::Unanswered(None)),
    };
    let place = Place { store, id, is_of_request: !question.holder.has_session(), is_open: true };
    // Somebody may have answered since the call was last tried.
    if store.answer(&place.id)?.is_some() {
        return place.closed(None);
    }
    if way == Way::InResult {
        return match in_result(case, question, &place.id, rounds, server) {
            // The client may never come back, so this is not waiting.
            Some(result) => place.kept().map(|()| Reply::InResult(result)),
            None => place.left(),
        };
    }
    let deadline = Instant::now() + patience;
    let mut turn = None;
    if way == Way::Dialog {
        // Of the calls that wait for the same answer, one asks. The turn ends after the answer is in the store.
        turn = loop {
            if store.answer(&place.id)?.is_some() {
                return place.closed(None);
            }
            if let Some(turn) = rounds.turn(&place.id) {
                break Some(turn);
            }
            if !pause(deadline).await {
                return place.left();
            }
        };
        if rounds.may_show(&question.holder) {
            let form = question::form(question, &case.known.facts);
            let asked = case.exchange.outlet.request("elicitation/create", Some(form.as_json()));
            let said = tokio::select! {
                biased;
                there = elsewhere(store, &place.id, deadline) => return match there? {
                    Some(_) => place.closed(None),
                    None => place.left(),
                },
                reply = asked => reply.ok(),
            };
            // A client that hangs up or can't ask has not asked anybody, and nobody has said no.
            if let Some(said) = said.as_ref().and_then(|said| said.result_body().value()) {
                return place.closed(Some(question::answer(said, Offer::of(question))));
            }
        }
    }
    if wait.is_zero() || !store.is_shared() {
        return place.left();
    }
    let there = elsewhere(store, &place.id, deadline).await?;
    let reply = if there.is_some() { place.closed(None) } else { place.left() };
    drop(turn);
    reply
}

/// The answer that a newer client brought. If the question is gone, as those are that nobody waits for when there are
/// many, it is still an answer to this very request.
pub(super) fn brought(
    answer: &JsonBuf,
    asked: &AskedInResult,
    store: &dyn GrantStore,
) -> Result<Answer, StoreError> {
    let said = question::answer(answer.as_json(), asked.offer);
    Ok(store.close(&asked.question, Some(said))?.unwrap_or(said))
}

impl Place<'_> {
    fn closed(mut self, here: Option<Answer>) -> Result<Reply, StoreError> {
        self.is_open = false;
        let counts = self.store.close(&self.id, here)?;
        Ok(counts.map_or_else(|| Reply::Unanswered(Some(self.id.clone())), Reply::Answered))
    }

    /// Somebody may still answer, for when the call is tried again.
    fn left(mut self) -> Result<Reply, StoreError> {
        self.give_up()?;
        Ok(Reply::Unanswered(Some(self.id.clone())))
    }

    /// The client comes back with an answer, or not.
    fn kept(mut self) -> Result<(), StoreError> {
        self.is_open = false;
        self.store.leave(&self.id)
    }

    fn give_up(&mut self) -> Result<(), StoreError> {
        self.is_open = false;
        match self.is_of_request {
            // The same call made again is another request, so an answer would be of no use.
            true => self.store.close(&self.id, None).map(drop),
            false => self.store.leave(&self.id),
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if self.is_open
            && let Err(error) = self.give_up()
        {
            tracing::error!(%error, "a question that no call waits for any more can't be left");
        }
    }
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
        if !pause(deadline).await {
            return Ok(None);
        }
    }
}

/// Until it is worth looking again. False when the time is over.
async fn pause(deadline: Instant) -> bool {
    let left = deadline.saturating_duration_since(Instant::now());
    if !left.is_zero() {
        tokio::time::sleep(left.min(LOOK)).await;
    }
    !left.is_zero()
}

fn in_result(
    case: &Case<'_>,
    question: &Question,
    id: &QuestionId,
    rounds: &Rounds,
    server: &JsonBuf,
) -> Option<Message> {
    if !rounds.may_show(&question.holder) {
        return None;
    }
    let (question_id, holder) = (id.clone(), question.holder.clone());
    let asked = AskedInResult { question: question_id, holder, offer: Offer::of(question) };
    let state = rounds.give(case.exchange, Stage::Asked(asked))?;
    let form = question::form(question, &case.known.facts);
    let meta = Object::new().json(key::SERVER_INFO, server.as_json()).finish();
    let result = asking(&form, &state).json("_meta", meta.as_json()).finish();
    Some(Message::result(case.exchange.message.id()?, result.as_json()))
}
