//! `overt grants list` and `overt grants pending`.
use std::collections::BTreeSet;
use std::time::Duration;

use overt_layers::grants::{PendingQuestion, QuestionId, QuestionKind};
use overt_wire::json::Object;

use super::context::DecisionContext;
use crate::args::Format;
use crate::error::{CommandError, Exit};
use crate::output::{grants_json, grants_text, one_line, question_json, question_text, questions_json};
use crate::settings::{Env, user_file};

/// How often `--watch` checks for new questions.
const CHECK_INTERVAL: Duration = Duration::from_millis(300);

pub(super) fn list(context: &DecisionContext<'_>) -> Result<Exit, CommandError> {
    let grants = context.store()?.map_or_else(|| Ok(Vec::new()), |store| store.grants())?;
    match context.format() {
        Format::Json => context.printer().json(grants_json(&grants).as_json())?,
        Format::Text if grants.is_empty() => {
            context.printer().note(&nothing_granted(&context.command.env));
        }
        Format::Text => context.printer().text(&grants_text(&grants, context.printer().width()))?,
    }
    Ok(Exit::Ok)
}

/// Says that there are no grants, and which settings can allow something too.
fn nothing_granted(env: &Env) -> String {
    let file = user_file(env).filter(|file| file.exists());
    let configured = match file {
        Some(file) => format!("what `{}` and `--config` allow", one_line(&file.to_string_lossy())),
        None => "what is configured".to_owned(),
    };
    format!(
        "nothing is allowed beyond {configured}; `overt policy explain` says what is decided about a call"
    )
}

pub(super) fn pending(context: &DecisionContext<'_>) -> Result<Exit, CommandError> {
    let open = context.store()?.map_or_else(|| Ok(Vec::new()), |store| store.questions())?;
    match context.format() {
        Format::Json => context.printer().json(questions_json(&open).as_json())?,
        Format::Text if open.is_empty() => context.printer().note("no call waits for an answer"),
        Format::Text => {
            for one in &open {
                print_question(context, one)?;
            }
            context.printer().note(how_to_answer(&open));
        }
    }
    Ok(Exit::Ok)
}

/// Returns the note that says which commands take the ids. Questions about trust are not answered
/// with `overt grants allow`; each of them names its own command.
fn how_to_answer(open: &[PendingQuestion]) -> &'static str {
    match open.iter().all(|one| one.question.kind == QuestionKind::Trust) {
        true => HOW_ABOUT_TRUST,
        false => HOW,
    }
}

/// Shows each question as it comes, and says when it is closed. While this runs, calls wait for an
/// answer. It runs until it is interrupted.
pub(super) fn watch(context: &DecisionContext<'_>) -> Result<Exit, CommandError> {
    let store = context.new_store()?;
    store.listen()?;
    let mut shown: BTreeSet<QuestionId> = BTreeSet::new();
    if context.format() == Format::Text {
        context.printer().note(HOW);
    }
    loop {
        let open = store.questions()?;
        let now: BTreeSet<QuestionId> = open.iter().map(|one| one.id.clone()).collect();
        for gone in shown.difference(&now) {
            match context.format() {
                Format::Json => {
                    context.printer().json(Object::new().string("closed", &gone.0).finish().as_json())?;
                }
                Format::Text => context.printer().text(&format!("{gone} is decided or waits no more\n"))?,
            }
        }
        for new in open.iter().filter(|one| !shown.contains(&one.id)) {
            match context.format() {
                Format::Json => {
                    let line = Object::new().json("question", question_json(new).as_json()).finish();
                    context.printer().json(line.as_json())?;
                }
                Format::Text => print_question(context, new)?,
            }
        }
        shown = now;
        std::thread::sleep(CHECK_INTERVAL);
    }
}

fn print_question(context: &DecisionContext<'_>, open: &PendingQuestion) -> Result<(), CommandError> {
    let text = question_text(open, context.command.clock.now(), context.here.as_deref());
    Ok(context.printer().text(&text)?)
}

const HOW: &str = "`overt grants show ID` shows all of a question, `overt grants allow ID` lets its call through (--session, \
     --always), `overt grants deny ID` refuses it";
const HOW_ABOUT_TRUST: &str = "`overt grants show ID` shows all of a question and every answer, `overt grants deny ID` refuses its call";
