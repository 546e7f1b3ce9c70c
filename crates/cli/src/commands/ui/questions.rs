//! Questions and answers. Each question has a digest of what the page shows; an answer counts only
//! for exactly that.
use overt_layers::grants::{PendingQuestion, QuestionId, Review};
use overt_layers::seal::digest;
use serde::Deserialize;
use serde_json::{Value, json};

use super::long_diff;
use super::problem::Problem;
use crate::commands::inbox::{InboxStore, Reply, letters_of};
use crate::output::question_json;

/// What the page sends to answer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answers {
    choice: String,
    questions: Vec<Shown>,
}

/// A question as it was shown.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shown {
    id: String,
    digest: String,
}

/// Members that change while a question stays the same: who waits, and how long.
const PASSING: [&str; 3] = ["calls", "waits_until", "until"];

pub(super) fn list(open: &[PendingQuestion]) -> Value {
    let questions: Vec<Value> = open.iter().map(|open| described(open, None)).collect();
    json!({ "questions": questions })
}

/// All of a question.
pub(super) fn one(store: &mut InboxStore<'_>, id: &str) -> Result<Value, Problem> {
    let open = open_now(store)?;
    let open = open.iter().find(|open| open.id.0 == id).ok_or_else(|| gone(id))?;
    let review = store.review(&open.id)?;
    Ok(described(open, Some(review.as_ref())))
}

/// The page on which the server shows all that the call will change. Only the sandbox of a browser
/// may show it.
pub(super) fn review_page(store: &mut InboxStore<'_>, id: &str) -> Result<Value, Problem> {
    let open = open_now(store)?;
    let open = open.iter().find(|open| open.id.0 == id).ok_or_else(|| gone(id))?;
    let page = store.review(&open.id)?.map(|review| review.page).filter(|page| !page.is_empty());
    let page = page.ok_or_else(|| Problem::new(404, format!("{id} has no review page")))?;
    Ok(json!({ "page": page }))
}

/// Answers all of these, or none if one of them is not what was shown.
pub(super) fn answer(store: &mut InboxStore<'_>, answers: &Answers) -> Result<Value, Problem> {
    let open = open_now(store)?;
    let mut asked: Vec<&PendingQuestion> = Vec::new();
    for Shown { id, digest } in &answers.questions {
        let one = open.iter().find(|open| open.id.0 == *id).ok_or_else(|| gone(id))?;
        let review = store.review(&one.id)?;
        if described(one, Some(review.as_ref()))["digest"] != digest.as_str() {
            let message = format!("{id} is not what was shown; nothing was answered. Look at it again.");
            return Err(Problem::conflict(message));
        }
        if !asked.contains(&one) {
            asked.push(one);
        }
    }
    let reply = Reply::of_word(&answers.choice);
    let reply =
        reply.ok_or_else(|| Problem::new(400, format!("`{}` is not one of the choices", answers.choice)))?;
    if let Some(other) = asked.iter().find(|open| reply.answer(open, 0).is_none()) {
        return Err(Problem::conflict(format!("{} does not offer that; nothing was answered", other.id)));
    }
    if let Some(why) = store.read_only().map(str::to_owned) {
        // It is refused and recorded as an attempt.
        store.answer(&asked, reply);
        return Err(Problem::new(403, why));
    }
    let (answered, words) = store.answer(&asked, reply);
    if answered.is_empty() && !asked.is_empty() {
        return Err(Problem::conflict(words));
    }
    let ids: Vec<&str> = answered.iter().map(|QuestionId(id)| id.as_str()).collect();
    Ok(json!({ "answered": ids, "words": words }))
}

fn open_now(store: &mut InboxStore<'_>) -> Result<Vec<PendingQuestion>, Problem> {
    let busy = || Problem::new(503, "the store of questions is held by another process; try again");
    store.questions()?.ok_or_else(busy)
}

fn gone(id: &str) -> Problem {
    Problem::new(404, format!("{id} is not open any more: it was answered, or its call has ended"))
}

/// A question for the page; with the diff, as far as a page takes it, if there is a review.
fn described(open: &PendingQuestion, review: Option<Option<&Review>>) -> Value {
    let mut value: Value = question_json(open).as_json().read().unwrap_or_default();
    let choices = letters_of(open).map(|(letter, reply, label)| {
        json!({ "choice": reply.word(), "letter": letter, "label": label, "words": reply.words(open) })
    });
    value["choices"] = choices.collect();
    if let Some(changes) = value["shown"]["changes"].as_object_mut() {
        // A cut diff and a page; the diff comes whole with the details.
        changes.insert("diff".to_owned(), "".into());
        changes.insert("page".to_owned(), "".into());
    }
    let mut lasting = value.clone();
    if let Some(members) = lasting.as_object_mut() {
        members.retain(|name, _| !PASSING.contains(&name.as_str()));
    }
    let lasting = lasting.to_string();
    // Also what a page leaves out of a long diff must not change.
    value["digest"] = match review.flatten() {
        Some(review) => digest(&[&lasting, &review.diff, &review.page]),
        None => digest(&[&lasting]),
    }
    .into();
    if let Some(review) = review.flatten() {
        long_diff::put(&mut value, &review.diff);
        value["hasReviewPage"] = (!review.page.is_empty()).into();
    }
    value
}
