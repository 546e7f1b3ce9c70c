//! `overt grants show`: all of one question, in the terminal or as a page.
use overt_layers::grants::{PendingQuestion, QuestionId, Review};

use super::context::DecisionContext;
use super::review;
use crate::args::Format;
use crate::error::{CommandError, Exit};
use crate::output::{Opener, whole_question_json, whole_question_text};

pub(super) fn show(
    context: &DecisionContext<'_>,
    id: &str,
    opener: Option<&Opener>,
) -> Result<Exit, CommandError> {
    let (store, mut open) = context.questions(&[id.to_owned()])?;
    let Some(open) = open.pop() else { return Ok(Exit::Ok) };
    let review = store.review(&open.id)?;
    let Some(opener) = opener else { return print(context, &open, review.as_ref(), None) };
    let page = review.as_ref().map(|review| review.page.as_str()).filter(|page| !page.is_empty());
    let Some(page) = page else {
        print(context, &open, review.as_ref(), None)?;
        context.printer().warn(NO_PAGE);
        return Ok(Exit::Ok);
    };
    let still_open: Vec<QuestionId> = store.questions()?.into_iter().map(|open| open.id).collect();
    let path = review::write(context.state.path(), &open.id, page, &still_open)?;
    let path = path.to_string_lossy();
    let is_shown = opener.open(&path);
    match context.format() {
        Format::Json => print(context, &open, review.as_ref(), Some(&path))?,
        Format::Text => {
            context.printer().text(&format!("{path}\n"))?;
            Exit::Ok
        }
    };
    context.printer().note(match is_shown {
        true => "the page opens in the browser",
        false => "no browser can be opened from here; open this file in one",
    });
    Ok(Exit::Ok)
}

fn print(
    context: &DecisionContext<'_>,
    open: &PendingQuestion,
    review: Option<&Review>,
    page: Option<&str>,
) -> Result<Exit, CommandError> {
    match context.format() {
        Format::Json => context.printer().json(whole_question_json(open, review, page).as_json())?,
        Format::Text => {
            let here = context.here.as_deref();
            context.printer().text(&whole_question_text(open, review, context.command.clock.now(), here))?;
        }
    }
    Ok(Exit::Ok)
}

const NO_PAGE: &str = "there is no page to open, because this call has no preview: decide by its arguments and by how far you \
     trust the server, or refuse it with `overt grants deny`";
