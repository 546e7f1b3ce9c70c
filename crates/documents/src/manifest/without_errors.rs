//! The record of a server without its wrong fields.
use serde_json::Value;

use super::{fields, server};
use overt_policy::finding::{Findings, Pointer, Severity};
use overt_policy::members::Members;
use overt_policy::record::ServerRecord;

/// Returns the record without the fields that `wrong` names, as findings do: `/server/urls/cli`.
/// The description stays: every document needs one, and its only possible fault is an omission.
pub(crate) fn without_errors(record: &ServerRecord, wrong: &Findings) -> ServerRecord {
    let errors = wrong.iter().filter(|finding| finding.severity == Severity::Error);
    let places: Vec<Vec<String>> = errors
        .map(|finding| finding.at.steps().collect::<Vec<_>>())
        .filter(
            |steps| matches!(&steps[..], [table, field, ..] if table == "server" && field != "description"),
        )
        .collect();
    if places.is_empty() {
        return record.clone();
    }
    let mut value = fields::object(fields::server(record)).unwrap_or_default();
    // Goes from the end, so that removing an element of a list does not move those that are removed
    // later.
    for steps in places.iter().rev() {
        remove(&mut value, &steps[1..]);
    }
    let mut none = Findings::default();
    let read = Members::of(&value, Pointer::root(), &mut none).map(|mut members| server::read(&mut members));
    read.unwrap_or_default()
}

fn remove(value: &mut Value, steps: &[String]) {
    match (value, steps) {
        (Value::Object(members), [last]) => _ = members.shift_remove(last),
        (Value::Array(items), [last]) => {
            if let Some(index) = last.parse().ok().filter(|index| *index < items.len()) {
                items.remove(index);
            }
        }
        (Value::Object(members), [step, rest @ ..]) => {
            if let Some(inner) = members.get_mut(step) {
                remove(inner, rest);
            }
        }
        (Value::Array(items), [step, rest @ ..]) => {
            if let Some(inner) = step.parse::<usize>().ok().and_then(|index| items.get_mut(index)) {
                remove(inner, rest);
            }
        }
        _ => {}
    }
}
