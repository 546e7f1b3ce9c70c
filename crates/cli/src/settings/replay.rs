//! The settings of `overt call --replay`: recorded requests with their answers.
use std::path::Path;

use overt_wire::json::{Json, JsonBuf};

use super::source;
use super::{Connection, Env};
use crate::args::CallArgs;
use crate::error::{CommandError, user_error};

#[derive(Debug)]
pub(crate) struct ReplaySettings {
    pub(crate) connection: Connection,
    pub(crate) steps: Vec<RecordedRequest>,
}

/// A recorded request and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecordedRequest {
    pub(crate) method: String,
    pub(crate) params: JsonBuf,
    pub(crate) outcome: Outcome,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    Result(JsonBuf),
    /// The code of a JSON-RPC error.
    Failure(i64),
}

impl ReplaySettings {
    pub(crate) fn resolve(args: &CallArgs, file: &Path, env: &Env) -> Result<Self, CommandError> {
        let steps = read(&file.display().to_string(), &source::read(file)?)?;
        // If an option or a command names the target, no word remains; otherwise the word is the
        // target.
        let elsewhere = args.target.mcp_json.is_some() || !args.target.command.is_empty();
        let (url, rest) = match (elsewhere, args.words.as_slice()) {
            (true, rest) => (None, rest),
            (false, [url, rest @ ..]) => (Some(url.as_str()), rest),
            (false, []) => (None, &[][..]),
        };
        if let Some(word) = rest.first() {
            return Err(user_error(format!(
                "`--replay` makes the recorded requests, so `{word}` has no place"
            ))
            .hinted("leave the tool and its arguments out"));
        }
        let connection = Connection::resolve(&args.target, url, env)?;
        Ok(Self { connection, steps })
    }
}

fn read(path: &str, text: &str) -> Result<Vec<RecordedRequest>, CommandError> {
    let mut steps = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |problem: &str| unusable(format!("`{path}`, line {}: {problem}", index + 1));
        let json = Json::parse(line).map_err(|_| wrong("is not JSON"))?;
        steps.push(step(json).map_err(wrong)?);
    }
    match steps.is_empty() {
        true => Err(unusable(format!("`{path}` has no requests"))),
        false => Ok(steps),
    }
}

fn unusable(message: String) -> CommandError {
    user_error(message).hinted(
        "the history of `overt inspect` exports such a file: a line `{\"method\":…,\"params\":…,\"result\":…}` for each request",
    )
}

fn step(json: Json<'_>) -> Result<RecordedRequest, &'static str> {
    let method = json.get("method").string().ok_or("has no `method`")?.into_owned();
    let params = json.get("params").value().map_or_else(JsonBuf::empty_object, Json::to_buf);
    let code = json.get("failure").get("code").value().and_then(Json::integer);
    let outcome = match (json.get("result").value(), code) {
        (Some(result), None) => Outcome::Result(result.to_buf()),
        (None, Some(code)) => Outcome::Failure(code),
        _ => return Err("has neither a `result` nor a `failure` with a code"),
    };
    Ok(RecordedRequest { method, params, outcome })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_mistakes_are_told_with_their_line() {
        let good = "{\"method\":\"ping\",\"params\":{},\"result\":{}}\n\n{\"method\":\"x\",\"failure\":{\"code\":-32601}}\n";
        let steps = read("f", good).unwrap();
        assert_eq!(steps.len(), 2);
        assert_eq!(steps[1].outcome, Outcome::Failure(-32601));
        for (text, told) in [
            ("", "`f` has no requests"),
            ("{}", "`f`, line 1: has no `method`"),
            ("\n{\"method\":\"x\"}", "`f`, line 2: has neither a `result` nor a `failure` with a code"),
            ("x", "`f`, line 1: is not JSON"),
        ] {
            assert_eq!(read("f", text).unwrap_err().to_string(), told);
        }
    }
}
