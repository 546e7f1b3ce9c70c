//! Questions and answers. Each question has a digest of what the page shows; an answer is accepted
//! only for exactly that.
use overt_layers::grants::{PendingQuestion, QuestionId, Review};
use overt_layers::seal::digest;
use serde::Deserialize;
use serde_json::{Value, json};

use super::long_diff;
use super::problem::Problem;
use crate::output::question_json;
use overt_operator::inbox::{InboxStore, Reply, letters_of};

/// The page's request to answer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answers {
    choice: String,
    questions: Vec<Shown>,
}

/// A question as the page showed it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shown {
    id: String,
    digest: String,
}

/// Members that may change while a question stays the same: how many calls wait, and until when.
const PASSING: [&str; 3] = ["calls", "waits_until", "until"];

pub(super) fn list(open: &[PendingQuestion]) -> Value {
    let questions: Vec<Value> = open.iter().map(|open| described(open, None)).collect();
    json!({ "questions": questions })
}

/// Returns all of a question, with its review.
pub(super) fn one(store: &mut InboxStore<'_>, id: &str) -> Result<Value, Problem> {
    let open = open_now(store)?;
    let open = open.iter().find(|open| open.id.0 == id).ok_or_else(|| gone(id))?;
    let review = store.review(&open.id)?;
    Ok(described(open, Some(review.as_ref())))
}

/// Returns the page on which the server shows all that the call will change. A browser may only
/// show it in the sandbox.
pub(super) fn review_page(store: &mut InboxStore<'_>, id: &str) -> Result<Value, Problem> {
    let open = open_now(store)?;
    let open = open.iter().find(|open| open.id.0 == id).ok_or_else(|| gone(id))?;
    let page = store.review(&open.id)?.map(|review| review.page).filter(|page| !page.is_empty());
    let page = page.ok_or_else(|| Problem::new(404, format!("{id} has no review page")))?;
    Ok(json!({ "page": page }))
}

/// Answers all of these questions, or none if one of them differs from what was shown.
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
        // This answer is refused, and recorded as an attempt.
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

/// Describes a question for the page. With a review, the diff is added, shortened to what a page
/// can show.
fn described(open: &PendingQuestion, review: Option<Option<&Review>>) -> Value {
    let mut value: Value = question_json(open).as_json().read().unwrap_or_default();
    let choices = letters_of(open).map(|(letter, reply, label)| {
        json!({ "choice": reply.word(), "letter": letter, "label": label, "words": reply.words(open) })
    });
    value["choices"] = choices.collect();
    // The page is told of what there is none of.
    for name in ["client", "project"] {
        if value[name].is_null() {
            value[name] = Value::Null;
        }
    }
    if let Some(changes) = value["shown"]["changes"].as_object_mut() {
        // These are a shortened diff and a page. The details add the diff again.
        changes.insert("diff".to_owned(), "".into());
        changes.insert("page".to_owned(), "".into());
    }
    let mut lasting = value.clone();
    if let Some(members) = lasting.as_object_mut() {
        members.retain(|name, _| !PASSING.contains(&name.as_str()));
    }
    let lasting = lasting.to_string();
    // The part of a long diff that the page leaves out must not change either, so digest all of it.
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
