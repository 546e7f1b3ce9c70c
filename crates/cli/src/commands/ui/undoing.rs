//! Undoes changes: first shows what would happen, then does exactly this.
use overt_layers::seal::digest;
use overt_servers::files::Batch;
use serde::Deserialize;
use serde_json::{Value, json};

use super::long_diff;
use super::problem::Problem;
use crate::settings::UiSettings;
use overt_operator::Operator;
use overt_operator::inbox::InboxStore;
use overt_operator::undo::{apply, plan_one, undone_words};

/// The page's request to undo a change.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Undo {
    change: String,
    digest: String,
}

/// Returns what undoing the change would do.
pub(super) fn preview(settings: &UiSettings, id: &str) -> Result<Value, Problem> {
    let batch = plan_one(&settings.files, id)?;
    let mut value = json!({ "change": id, "text": lines(&batch), "digest": digest_of(&batch) });
    long_diff::put(&mut value, &diff(&batch));
    Ok(value)
}

pub(super) fn undo(store: &InboxStore<'_>, settings: &UiSettings, undo: &Undo) -> Result<Value, Problem> {
    let batch = plan_one(&settings.files, &undo.change)?;
    if digest_of(&batch) != undo.digest {
        let message = "the files are not what was shown any more; nothing was undone. Look at it again.";
        return Err(Problem::conflict(message));
    }
    let undoing = Operator { log: settings.undo.log_plan(), ..store.operator().clone() };
    let done = apply(&undoing, batch).map_err(|failed| Problem::from(failed.problem))?;
    let words: Vec<String> = done.iter().map(undone_words).collect();
    Ok(json!({ "words": words.join("\n") }))
}

fn lines(batch: &Batch) -> String {
    let lines: Vec<&str> = batch.planned().flat_map(|planned| &planned.lines).map(String::as_str).collect();
    lines.join("\n")
}

fn diff(batch: &Batch) -> String {
    batch.planned().map(|planned| planned.diff.as_str()).collect()
}

/// Returns the digest of what was shown. The plan itself is bound to the files when it is applied.
fn digest_of(batch: &Batch) -> String {
    let ids: Vec<&str> = batch.planned().map(|planned| planned.change.id.as_str()).collect();
    digest(&[&ids.join("\n"), &lines(batch), &diff(batch)])
}
