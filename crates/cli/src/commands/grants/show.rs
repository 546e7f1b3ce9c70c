//! `overt grants list` and `overt grants pending`.
use std::collections::BTreeSet;
use std::time::Duration;

use overt_layers::grants::{GrantStore as _, Open, QuestionId};
use overt_wire::json::Object;

use super::task::Desk;
use crate::args::Format;
use crate::failure::{Exit, Failure};
use crate::output::{grants_json, grants_text, question_json, question_text, questions_json};
use crate::settings::Look;

/// How often is looked for new questions.
const LOOK: Duration = Duration::from_millis(300);

pub(super) fn list(desk: &Desk<'_>) -> Result<Exit, Failure> {
    let grants = desk.store()?.map_or_else(|| Ok(Vec::new()), |store| store.grants())?;
    match desk.settings.talk.format {
        Format::Json => desk.printer.json(grants_json(&grants).as_json())?,
        Format::Text if grants.is_empty() => {
            desk.printer.note("nothing is allowed beyond what is configured");
        }
        Format::Text => desk.printer.text(&grants_text(&grants, desk.printer.width()))?,
    }
    Ok(Exit::Ok)
}

pub(super) fn pending(desk: &Desk<'_>, look: Look) -> Result<Exit, Failure> {
    let open = questions(desk)?;
    if look == Look::Watch {
        return watch(desk);
    }
    match desk.settings.talk.format {
        Format::Json => desk.printer.json(questions_json(&open).as_json())?,
        Format::Text if open.is_empty() => desk.printer.note("no call waits for an answer"),
        Format::Text => {
            for one in &open {
                desk.printer.text(&question_text(one, desk.clock.now(), desk.printer.width()))?;
            }
            desk.printer.note(HOW);
        }
    }
    Ok(Exit::Ok)
}

/// Each question as it comes, and when it is gone; ends when whoever watches has enough.
fn watch(desk: &Desk<'_>) -> Result<Exit, Failure> {
    let mut shown: BTreeSet<QuestionId> = BTreeSet::new();
    if desk.settings.talk.format == Format::Text {
        desk.printer.note(HOW);
    }
    loop {
        let open = questions(desk)?;
        let now: BTreeSet<QuestionId> = open.iter().map(|one| one.id.clone()).collect();
        for gone in shown.difference(&now) {
            match desk.settings.talk.format {
                Format::Json => {
                    desk.printer.json(Object::new().string("closed", &gone.0).finish().as_json())?;
                }
                Format::Text => desk.printer.text(&format!("{gone} is decided or waits no more\n"))?,
            }
        }
        for new in open.iter().filter(|one| !shown.contains(&one.id)) {
            match desk.settings.talk.format {
                Format::Json => {
                    let line = Object::new().json("question", question_json(new).as_json()).finish();
                    desk.printer.json(line.as_json())?;
                }
                Format::Text => {
                    desk.printer.text(&question_text(new, desk.clock.now(), desk.printer.width()))?;
                }
            }
        }
        shown = now;
        std::thread::sleep(LOOK);
    }
}

/// Looks anew each time: the store may be made while we watch.
fn questions(desk: &Desk<'_>) -> Result<Vec<Open>, Failure> {
    Ok(desk.store()?.map_or_else(|| Ok(Vec::new()), |store| store.questions())?)
}

const HOW: &str =
    "`overt grants allow ID` lets a call through (--session, --always), `overt grants deny ID` refuses it";
