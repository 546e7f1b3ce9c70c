//! Formats everything that is recorded about one action.
use overt_state::audit::{Action, End, Record};
use overt_wire::json::{Array, JsonBuf};

use super::action_words::{UNDO, ending, sentence, short_change};
use super::activity::action_json;
use super::patch::patch_text;
use super::safe::{lines, one_line};
use super::style::{DIM, TITLE, paint};

/// An action, with the records from which it was made.
#[derive(Debug)]
pub(crate) struct Detail {
    pub(crate) action: Action,
    /// In the order in which they were written.
    pub(crate) records: Vec<Record>,
    /// The diff of its change, if the journal still has the contents.
    pub(crate) diff: Option<ShownDiff>,
    /// Why it cannot be undone; `None` if it can.
    pub(crate) stays: Option<String>,
}

/// The diff of a change.
#[derive(Debug)]
pub(crate) enum ShownDiff {
    /// From the content before the change to the content that the change left.
    OfChange(String),
    /// From the content before the change to the current content, because the content that the
    /// change left is no longer available.
    ToNow(String),
}

impl ShownDiff {
    /// The diff of the change alone, if available.
    pub(crate) fn of_change(&self) -> Option<&str> {
        match self {
            Self::OfChange(diff) => Some(diff),
            Self::ToNow(_) => None,
        }
    }

    fn to_now(&self) -> Option<&str> {
        match self {
            Self::OfChange(_) => None,
            Self::ToNow(diff) => Some(diff),
        }
    }
}

pub(crate) fn detail_text(detail: &Detail) -> String {
    let mut out = format!("{}\n", paint(TITLE, sentence(&detail.action)));
    for (name, text) in action_facts(detail) {
        out.push_str(&format!("{} {text}\n", paint(DIM, format!("{name:<11}"))));
    }
    match &detail.diff {
        Some(ShownDiff::OfChange(diff)) => out.push_str(&format!("\n{}", patch_text(diff))),
        Some(ShownDiff::ToNow(diff)) => {
            out.push_str(&format!(
                "{} {TO_NOW}\n\n{}",
                paint(DIM, format!("{:<11}", "diff")),
                patch_text(diff)
            ));
        }
        None => {}
    }
    out
}

const TO_NOW: &str = "what the change left is no longer there, so this is from before the change to now";

/// The facts that are recorded about an action: names, and texts that are safe to print.
pub(crate) fn action_facts(detail: &Detail) -> Vec<(&'static str, String)> {
    let action = &detail.action;
    let mut facts = Vec::new();
    let mut fact = |name: &'static str, text: String| {
        if !text.is_empty() {
            facts.push((name, text));
        }
    };
    let took = action.micros.map(|micros| format!(", took {}", duration(micros))).unwrap_or_default();
    fact("when", format!("{}{took}", one_line(&action.ts)));
    fact("client", one_line(&action.client));
    fact("project", one_line(action.project.as_deref().unwrap_or_default()));
    let id = action.server_id.as_deref().map(|id| format!("#{id}")).unwrap_or_default();
    fact("server", one_line(&format!("{}{id}", action.server)));
    fact(
        "called",
        match action.method == UNDO {
            // The sentence tells what was undone.
            true => UNDO.to_owned(),
            false => one_line(&format!("{} {}", action.method, action.target)),
        },
    );
    fact("sentence", one_line(&action.sentence));
    fact("arguments", arguments(&detail.records));
    for change in &action.changes {
        fact("changes", one_line(change));
    }
    fact("needed", one_line(&action.needed.join(", ")));
    fact("decision", one_line(&decision(&detail.records)));
    fact("allowed by", one_line(&allowed_by(detail)));
    fact("plan", one_line(&text_of(&detail.records, "plan")));
    fact("outcome", outcome(action));
    if let Some(change) = &action.change {
        let short = short_change(change);
        let how = match &detail.stays {
            None if action.method == UNDO => format!("`overt undo {short}` brings back what it undid"),
            None => format!("`overt undo {short}` takes it back"),
            Some(why) => format!("can't be taken back: {}", one_line(why)),
        };
        fact("change", format!("{}; {how}", one_line(change)));
    }
    fact("session", one_line(action.session.as_deref().unwrap_or_default()));
    let numbers: Vec<String> = detail.records.iter().map(|record| record.seq.to_string()).collect();
    fact("records", format!("{} in the log {}", numbers.join(", "), one_line(&action.log)));
    facts
}

pub(crate) fn detail_json(detail: &Detail) -> JsonBuf {
    let records = detail.records.iter().fold(Array::new(), |array, record| array.json(record.json()));
    let action = action_json(&detail.action);
    let text = action.as_str();
    let rest = overt_wire::json::Object::new()
        .maybe("diff", detail.diff.as_ref().and_then(ShownDiff::of_change))
        .maybe("diffToNow", detail.diff.as_ref().and_then(ShownDiff::to_now))
        .raw(
            "canUndo",
            if detail.action.change.is_some() && detail.stays.is_none() { "true" } else { "false" },
        )
        .json("records", records.finish().as_json())
        .finish();
    // Both are objects with members, so their texts can be joined.
    let whole = format!("{},{}", &text[..text.len() - 1], &rest.as_str()[1..]);
    JsonBuf::parse(&whole).unwrap_or(action)
}

fn text_of(records: &[Record], name: &str) -> String {
    records.iter().rev().map(|record| record.text(name)).find(|text| !text.is_empty()).unwrap_or_default()
}

fn arguments(records: &[Record]) -> String {
    let shown = text_of(records, "args_redacted");
    if !shown.is_empty() {
        return lines(&shown).replace('\n', " ");
    }
    match text_of(records, "args_digest") {
        digest if digest.is_empty() => String::new(),
        digest => format!("{} (`--audit-arguments redacted` keeps them)", one_line(&digest)),
    }
}

fn decision(records: &[Record]) -> String {
    let decision = text_of(records, "decision");
    let (layer, rules) =
        (text_of(records, "layer"), records.last().map(|last| last.list("rules")).unwrap_or_default());
    let layer = if layer.is_empty() { String::new() } else { format!(", decided by {layer}") };
    let rules = if rules.is_empty() { String::new() } else { format!(", rules {}", rules.join(", ")) };
    format!("{decision}{layer}{rules}")
}

/// Names the person, grant or policy that allowed the action.
fn allowed_by(detail: &Detail) -> String {
    let action = &detail.action;
    if !action.end.was_made() {
        return String::new();
    }
    // A person confirmed it at the terminal or passed `--yes`.
    if action.method == UNDO {
        return "you, with `overt undo`".to_owned();
    }
    let answer = detail.records.iter().rev().find(|record| record.text("kind") == "approval");
    let answer = answer.map(|record| format!("you answered: {}", record.text("reason")));
    let grant = action.grant.as_ref().map(|grant| format!("grant {grant}"));
    let trust = action.trust.as_ref().map(|trust| format!("you trust the server: {trust}"));
    let parts: Vec<String> = [answer, grant, trust].into_iter().flatten().collect();
    if parts.is_empty() { "the policy, without asking".to_owned() } else { parts.join("; ") }
}

fn outcome(action: &Action) -> String {
    match &action.end {
        End::Done => "ok".to_owned(),
        End::Failed(word) => format!("{} ({})", ending(action), one_line(word)),
        End::FailedBefore(reason) => format!("failed, and nothing ran: {}", one_line(reason)),
        End::Refused(reason) => format!("refused: {}", one_line(reason)),
        End::Open => "nothing says how it ended; it may still be running".to_owned(),
    }
}

fn duration(micros: u64) -> String {
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..1_000_000 => format!("{} ms", micros / 1_000),
        _ => format!("{}.{} s", micros / 1_000_000, micros / 100_000 % 10),
    }
}
