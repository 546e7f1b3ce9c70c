//! Counts what a model writes and reads for the work: the names and arguments of its calls, the
//! texts of the answers, and once the definitions of the tools.

use serde_json::{Value, json};

use super::super::case;
use super::plan::Call;
use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;
use crate::say;

/// The number of calls, and the size of what a model writes and reads.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cost {
    pub(super) calls: usize,
    written: Size,
    read: Size,
    definitions: Size,
}

#[derive(Debug, Clone, Copy, Default)]
struct Size {
    bytes: usize,
    tokens: usize,
}

/// The texts that a model writes and reads in one day.
#[derive(Debug, Default)]
pub(super) struct Texts {
    calls: Vec<String>,
    answers: Vec<String>,
    definitions: Vec<String>,
}

impl Texts {
    /// Adds calls and their answers.
    pub(super) fn add(&mut self, calls: &[Call], answers: &Value) {
        for (call, answer) in calls.iter().zip(answers.as_array().into_iter().flatten()) {
            self.calls.push(format!("{} {}", call.tool, call.arguments));
            self.answers.push(case::text(&answer["text"]).to_owned());
        }
    }

    /// Adds the definitions of the tools: names, descriptions and input schemas.
    pub(super) fn add_definitions(&mut self, definitions: &Value) {
        let definitions = definitions.as_array().into_iter().flatten();
        self.definitions.extend(definitions.map(Value::to_string));
    }

    /// Counts all texts, with a separate program: a tokenizer among our dependencies would have to
    /// be built before any task starts.
    pub(super) fn cost(&self, repo: &Repo) -> Result<Cost, Failure> {
        let lists = [&self.calls, &self.answers, &self.definitions];
        let counter = Job::new(repo, "count tokens", repo.example("count_tokens"));
        let counts = case::json(&counter.input(&json!(lists).to_string()))?;
        let size = |index: usize| {
            let bytes = lists[index].iter().map(String::len).sum();
            let tokens = counts[index].as_u64().and_then(|tokens| usize::try_from(tokens).ok());
            let missing =
                || Failure::new(format!("`count_tokens` must print three counts, and printed {counts}"));
            Ok::<_, Failure>(Size { bytes, tokens: tokens.ok_or_else(missing)? })
        };
        Ok(Cost { calls: self.calls.len(), written: size(0)?, read: size(1)?, definitions: size(2)? })
    }
}

/// Prints a row for each server.
pub(super) fn show(rows: &[(&str, Cost)]) {
    say::line(format!(
        "{:<20} {:>6} {:>14} {:>15} {:>11} {:>12} {:>22}",
        "server",
        "calls",
        "bytes written",
        "tokens written",
        "bytes read",
        "tokens read",
        "tokens of definitions"
    ));
    for (name, Cost { calls, written, read, definitions }) in rows {
        say::line(format!(
            "{name:<20} {calls:>6} {:>14} {:>15} {:>11} {:>12} {:>22}",
            written.bytes, written.tokens, read.bytes, read.tokens, definitions.tokens
        ));
    }
}
