//! `overt call --replay`: repeats recorded requests and shows which outcomes differ.
use std::time::Instant;

use overt_transport::client::{Client, ClientError};
use overt_wire::json::JsonBuf;
use serde_json::{Value, json};

use super::session::with_server;
use crate::args::Format;
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::output::{one_line, pretty};
use crate::settings::{Outcome, RecordedRequest, ReplaySettings};

/// A request that was made again.
struct Replayed<'a> {
    request: &'a RecordedRequest,
    is_same: bool,
    now: Outcome,
    milliseconds: f64,
}

pub(crate) fn replay(settings: &ReplaySettings, context: &CommandContext) -> Result<Exit, CommandError> {
    with_server(&settings.connection, context, async |client, printer| {
        let mut all = Vec::with_capacity(settings.steps.len());
        for (index, request) in settings.steps.iter().enumerate() {
            printer.progress_start(&format!(
                "{} of {}: {}",
                index + 1,
                settings.steps.len(),
                one_line(&request.method)
            ));
            all.push(again(client, request).await?);
        }
        printer.progress_stop();
        let different = all.iter().filter(|replayed| !replayed.is_same).count();
        match context.output.format {
            Format::Json => {
                let list: Vec<Value> = all.iter().map(Replayed::to_json).collect();
                let text = json!({ "requests": list, "different": different }).to_string();
                printer.json(JsonBuf::parse(&text).unwrap_or_else(|_| JsonBuf::empty_object()).as_json())?;
            }
            Format::Text => {
                printer.text(&all.iter().map(Replayed::to_text).collect::<String>())?;
                printer.note(&format!("{} requests, {different} with another outcome", all.len()));
            }
        }
        Ok(if different == 0 { Exit::Ok } else { Exit::Findings })
    })
}

async fn again<'a>(client: &Client, request: &'a RecordedRequest) -> Result<Replayed<'a>, CommandError> {
    let started = Instant::now();
    let answer = client.request(&request.method, Some(request.params.as_json())).await;
    let milliseconds = started.elapsed().as_secs_f64() * 1e3;
    let now = match answer {
        Ok(message) => {
            let result = message.result_body().value().map(overt_wire::json::Json::to_buf);
            Outcome::Result(result.unwrap_or_else(JsonBuf::empty_object))
        }
        Err(ClientError::Refused(error)) => Outcome::Failure(error.code),
        Err(error) => return Err(error.into()),
    };
    let is_same = compared(&request.outcome) == compared(&now);
    Ok(Replayed { request, is_same, now, milliseconds })
}

/// Returns the part of an outcome that is compared, without what changes with every request or
/// exists in one era only.
fn compared(outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Failure(code) => json!({ "failure": code }),
        Outcome::Result(result) => {
            let mut value: Value = result.as_json().read().unwrap_or_default();
            if let Value::Object(members) = &mut value {
                for passing in ["_meta", "resultType", "ttlMs", "cacheScope", "nextCursor"] {
                    members.remove(passing);
                }
            }
            json!({ "result": value })
        }
    }
}

impl Replayed<'_> {
    fn to_json(&self) -> Value {
        json!({
            "method": self.request.method,
            "same": self.is_same,
            "milliseconds": self.milliseconds,
            "was": compared(&self.request.outcome),
            "now": compared(&self.now),
        })
    }

    fn to_text(&self) -> String {
        let word = if self.is_same { "same" } else { "DIFFERS" };
        let mut text =
            format!("{:<32} {word:<8} {:>9.1} ms\n", one_line(&self.request.method), self.milliseconds);
        if !self.is_same {
            for (name, outcome) in [("was", &self.request.outcome), ("now", &self.now)] {
                let value = compared(outcome).to_string();
                let shown = JsonBuf::parse(&value).map(|value| pretty(value.as_json())).unwrap_or_default();
                let lines = shown.lines().take(MOST_LINES).map(|line| format!("    {line}\n"));
                text.push_str(&format!("  {name}:\n{}", lines.collect::<String>()));
            }
        }
        text
    }
}

/// Lines of each side that a person is shown; `--format json` has all.
const MOST_LINES: usize = 40;
