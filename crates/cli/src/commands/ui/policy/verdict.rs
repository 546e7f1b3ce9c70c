//! A verdict as the page reads it.
use overt_policy::Verdict;
use serde_json::{Value, json};

/// The verdict, and what it rests on.
pub(super) fn verdict_json(verdict: Verdict, by: &str) -> Value {
    json!({ "verdict": verdict, "by": by })
}
