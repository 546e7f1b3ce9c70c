//! What a model writes and reads for the work: the names and arguments of its calls, the texts of
//! the answers, and once the definitions of the tools.

use serde_json::Value;
use tiktoken_rs::CoreBPE;

use super::plan::Call;
use crate::failure::Failure;
use crate::say;

/// Bytes and tokens (o200k) of both sides.
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

pub(super) struct Counter(CoreBPE);

impl Counter {
    pub(super) fn new() -> Result<Self, Failure> {
        tiktoken_rs::o200k_base()
            .map(Self)
            .map_err(|cause| Failure::new(format!("the table of o200k can't be read: {cause}")))
    }

    /// Adds calls and what they were answered with.
    pub(super) fn add(&self, cost: &mut Cost, calls: &[Call], answers: &Value) {
        for (call, answer) in calls.iter().zip(answers.as_array().into_iter().flatten()) {
            cost.calls += 1;
            self.measure(&mut cost.written, &format!("{} {}", call.tool, call.arguments));
            self.measure(&mut cost.read, answer["text"].as_str().unwrap_or_default());
        }
    }

    /// Adds what the server says of its tools: names, descriptions and input schemas.
    pub(super) fn add_definitions(&self, cost: &mut Cost, definitions: &Value) {
        for tool in definitions.as_array().into_iter().flatten() {
            self.measure(&mut cost.definitions, &tool.to_string());
        }
    }

    fn measure(&self, size: &mut Size, text: &str) {
        size.bytes += text.len();
        size.tokens += self.0.encode_with_special_tokens(text).len();
    }
}

/// Prints who needs what.
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
