//! A test of two programs, and helpers that check its outcome.

use std::time::Duration;

use serde_json::Value;

use crate::failure::Failure;
use crate::run::Job;

/// The message that every tool `echo` must return. Parts of it need escaping in JSON.
pub(crate) const MESSAGE: &str = "echo: \"quoted\", back\\slash, Grüße, 日本, 🦀";

/// A test: its name, and a function that returns a summary for the person.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) run: Box<dyn Fn() -> Result<String, Failure> + Send + Sync>,
}

impl Case {
    pub(crate) fn new(
        name: String,
        run: impl Fn() -> Result<String, Failure> + Send + Sync + 'static,
    ) -> Self {
        Self { name, run: Box::new(run) }
    }
}

/// Runs a program that prints one JSON value.
pub(crate) fn json(job: &Job) -> Result<Value, Failure> {
    json_within(job, Duration::from_secs(60))
}

/// Runs a program that prints one JSON value, with this deadline.
pub(crate) fn json_within(job: &Job, deadline: Duration) -> Result<Value, Failure> {
    let finished = job.clone().deadline(deadline).succeed()?;
    let out = finished.stdout();
    serde_json::from_str(out.trim())
        .map_err(|cause| Failure::new(format!("`{}` did not print JSON: {cause}\n{out}", job.typed())))
}

/// Returns the entries of a list, or none.
pub(crate) fn entries(list: &Value) -> &[Value] {
    list.as_array().map_or(&[][..], Vec::as_slice)
}

/// Returns a text, or an empty one.
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns the texts of a list.
pub(crate) fn texts(list: &Value) -> Vec<&str> {
    entries(list).iter().filter_map(Value::as_str).collect()
}

/// Returns this member of each entry of a list.
pub(crate) fn names<'a>(list: &'a Value, member: &str) -> Vec<&'a str> {
    entries(list).iter().filter_map(|entry| entry[member].as_str()).collect()
}

/// Fails unless `found` contains all of `wanted`.
pub(crate) fn demand(what: &str, found: &[&str], wanted: &[&str]) -> Result<(), Failure> {
    let missing: Vec<&str> = wanted.iter().filter(|name| !found.contains(name)).copied().collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("no {what} `{}` in: {}", missing.join("`, `"), found.join(", "))))
}

/// Fails unless both texts are equal.
pub(crate) fn demand_equal(what: &str, found: &str, wanted: &str) -> Result<(), Failure> {
    if found == wanted {
        return Ok(());
    }
    Err(Failure::new(format!("{what} is `{found}`, not `{wanted}`")))
}
