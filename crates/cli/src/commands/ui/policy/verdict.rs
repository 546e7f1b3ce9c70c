//! A verdict as the page shows it.
use overt_policy::Verdict;
use serde_json::{Value, json};

/// Returns the verdict, with what it is based on.
pub(super) fn verdict_json(verdict: Verdict, by: &str) -> Value {
    json!({ "verdict": verdict, "by": by })
}
