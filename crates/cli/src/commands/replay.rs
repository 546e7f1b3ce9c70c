//! `overt call --replay`: repeats recorded requests and shows which outcomes differ.
use std::time::Instant;

use overt_transport::client::{Client, ClientError};
use overt_wire::json::JsonBuf;
use serde::Serialize;
use serde_json::{Value, json};

use super::session::with_server;
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::output::{Report, one_line, pretty};
use crate::settings::{Outcome, RecordedRequest, ReplaySettings};

/// A request that was made again.
#[derive(Serialize)]
struct Replayed<'a> {
    method: &'a str,
    #[serde(rename = "same")]
    is_same: bool,
    milliseconds: f64,
    was: Value,
    now: Value,
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
        context.report(&ReplayReport { requests: &all, different })?;
        Ok(if different == 0 { Exit::Ok } else { Exit::Findings })
    })
}

/// The answer of `overt call --replay`.
#[derive(Serialize)]
struct ReplayReport<'a> {
    requests: &'a [Replayed<'a>],
    different: usize,
}

impl Report for ReplayReport<'_> {
    fn text(&self, _: Option<usize>) -> String {
        self.requests.iter().map(Replayed::to_text).collect()
    }

    fn remark(&self) -> Option<String> {
        Some(format!("{} requests, {} with another outcome", self.requests.len(), self.different))
    }
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
    let (was, now) = (compared(&request.outcome), compared(&now));
    Ok(Replayed { method: &request.method, is_same: was == now, milliseconds, was, now })
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
    fn to_text(&self) -> String {
        let word = if self.is_same { "same" } else { "DIFFERS" };
        let mut text = format!("{:<32} {word:<8} {:>9.1} ms\n", one_line(self.method), self.milliseconds);
        if !self.is_same {
            for (name, outcome) in [("was", &self.was), ("now", &self.now)] {
                let value = outcome.to_string();
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
