//! Plays the cases. Rules check that a text leads to the next call, so that a worse text fails.
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use overt_policy::record::KnownError;
use serde_json::Value;

use super::super::super::error::code;
use super::case::{Agent, Call, Case, Step, read};
use super::stage::Stage;

fn cases() -> Vec<Case> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts/fs_errors.txt");
    read(&std::fs::read_to_string(file).unwrap())
}

/// Codes that no sequence of calls in a case can produce, with the reason.
const WITHOUT_CASE: [(&str, &str); 4] = [
    ("APPROVALS_UNAVAILABLE", "the state folder fails, which `crates/layers/tests` plays"),
    ("GUARDED", "people are asked about such a plan before the tool runs, as for IRREVERSIBLE"),
    ("INVALID_RESULT", "a mistake of the server; its tools are tested for having none"),
    (
        "IRREVERSIBLE",
        "people are asked about such a plan before the tool runs; only a plan that failed before they agreed, and does not fail after \
     it, ends so. Its text is that of FILE_TOO_LARGE with the setting `irreversible` at `refuse`",
    ),
];

/// Most calls that lead out of an error: one that looks something up, and the corrected call.
const MOST_CALLS: usize = 2;
/// Most system calls of a change at which a disk error is tried.
const MOST_FAULTS: i64 = 300;

/// Every code that a client can get has a way out, and the text of the error names it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_recovers_from_every_error() {
    let mut failed = Vec::new();
    for case in cases() {
        if let Err(problem) = play(&case).await {
            failed.push(format!("{}: {problem}", case.code));
        }
    }
    assert!(failed.is_empty(), "{} cases failed:\n\n{}", failed.len(), failed.join("\n\n"));
}

#[test]
fn every_error_code_has_a_case_and_every_case_a_code() {
    let of_layers: Vec<KnownError> =
        overt_layers::known_errors().into_iter().chain(overt_toolbox::known_errors()).collect();
    let of_layers = of_layers.iter().map(|error| error.code.as_str());
    let codes: BTreeSet<&str> = code::ALL.iter().copied().chain(of_layers).collect();
    let cases = cases();
    let covered: BTreeSet<&str> = cases.iter().map(|case| case.code.as_str()).collect();
    let without: Vec<&str> = codes.difference(&covered).copied().collect();
    assert_eq!(without, WITHOUT_CASE.map(|(code, _)| code), "codes without a case in fs_errors.txt");
    let unknown: Vec<_> = covered.difference(&codes).collect();
    assert!(unknown.is_empty(), "no such error code: {unknown:?}");
}

/// The state of a case while it is played.
#[derive(Default)]
struct Played {
    failing: Option<Call>,
    text: String,
    /// The part of the text that says what to do.
    quote: String,
    /// Who removed the cause, if anyone did.
    helped_by: Option<Agent>,
    calls: usize,
    last: Value,
    values: BTreeMap<String, String>,
}

async fn play(case: &Case) -> Result<(), String> {
    let mut stage = Stage::new();
    let mut played = Played::default();
    for step in &case.steps {
        match step {
            Step::Event { by, event } => {
                if played.failing.is_some() {
                    played.helped_by = Some(*by);
                }
                let event = played.filled(event, &stage);
                match event.split_once(' ') {
                    Some(("call", call)) => {
                        played.last = succeeds(&stage, &Call::read(call).ok_or(call)?).await?;
                    }
                    // The call may succeed or fail.
                    Some(("try", call)) => played.last = stage.call(&Call::read(call).ok_or(call)?).await,
                    _ => stage.happen(&event).await,
                }
            }
            Step::Call(call) => {
                let call = played.call(call, &stage)?;
                if played.failing.is_none() {
                    (played.last, played.text) = fails(&stage, &call, &case.code).await?;
                    played.failing = Some(call);
                    continue;
                }
                played.check_follows(&call)?;
                played.last = succeeds(&stage, &call).await?;
            }
            Step::Text(expected) => {
                let expected = played.filled(expected, &stage);
                if !matches(&played.text, &expected) {
                    return Err(format!("the text is\n{}\nand not\n{expected}", played.text));
                }
            }
            Step::LeadsTo(quote) => {
                if !played.text.contains(quote.as_str()) {
                    return Err(format!("`{quote}` is not in the text\n{}", played.text));
                }
                played.quote.clone_from(quote);
            }
            Step::Take { name, pointer } => {
                let value = played.last.pointer(pointer).and_then(Value::as_str);
                let value = value.ok_or_else(|| format!("{pointer} is not in {}", played.last))?;
                played.values.insert(name.clone(), value.to_owned());
            }
        }
    }
    match played.calls {
        0 => Err("nothing follows the error".to_owned()),
        1..=MOST_CALLS => Ok(()),
        calls => Err(format!("{calls} calls are needed to recover")),
    }
}

impl Played {
    /// Fills the values that were taken earlier into a text of the case.
    fn filled(&self, text: &str, stage: &Stage) -> String {
        let text = text.replace("$root", stage.root.to_str().unwrap_or_default());
        self.values.iter().fold(text, |text, (name, value)| text.replace(&format!("${name}"), value))
    }

    fn call(&self, call: &Call, stage: &Stage) -> Result<Call, String> {
        let filled = |value: &Value| {
            serde_json::from_str(&self.filled(&value.to_string(), stage)).map_err(|error| error.to_string())
        };
        Ok(Call { name: call.name.clone(), arguments: filled(&call.arguments)?, meta: filled(&call.meta)? })
    }

    /// Checks that the text leads to this call.
    fn check_follows(&mut self, call: &Call) -> Result<(), String> {
        self.calls += 1;
        let Some(failing) = self.failing.as_ref().filter(|_| self.calls == 1) else { return Ok(()) };
        if self.quote.is_empty() {
            return Err("the case does not say which part of the text leads to the next call".to_owned());
        }
        if call.name != failing.name && !self.quote.contains(&format!("`{}`", call.name)) {
            return Err(format!("`{}` is not in the part that leads to it: {}", call.name, self.quote));
        }
        let asks = match self.helped_by {
            None if call == failing => {
                return Err("the same call follows, and nobody did anything".to_owned());
            }
            None => return Ok(()),
            Some(Agent::User) => "user",
            Some(Agent::Given | Agent::Later) => "again",
        };
        match self.quote.contains(asks) {
            true => Ok(()),
            false => Err(format!("`{asks}` is not in the part that leads to the next call: {}", self.quote)),
        }
    }
}

async fn succeeds(stage: &Stage, call: &Call) -> Result<Value, String> {
    let answer = stage.call(call).await;
    let is_error = answer.get("error").is_some() || answer["result"]["isError"] == true;
    if is_error { Err(format!("{} {} fails: {answer}", call.name, call.arguments)) } else { Ok(answer) }
}

/// Makes the call, and returns its answer and the error text. If the stage has a disk fault, tries
/// it at each system call until it leads to this error.
async fn fails(stage: &Stage, call: &Call, code: &str) -> Result<(Value, String), String> {
    let Some(fault) = &stage.fault else {
        let answer = stage.call(call).await;
        return text_of(&answer, code).map(|text| (answer.clone(), text)).ok_or(format!("got {answer}"));
    };
    for calls in 0..MOST_FAULTS {
        stage.arm(calls, fault);
        let answer = stage.call(call).await;
        if !stage.disarm() {
            break;
        }
        if let Some(text) = text_of(&answer, code) {
            return Ok((answer, text));
        }
    }
    Err("no fault of the disk leads to this error".to_owned())
}

/// Returns the error text that a model reads, or the message if the request was not a tool call.
fn text_of(answer: &Value, code: &str) -> Option<String> {
    if answer["error"]["data"]["code"] == code {
        return answer["error"]["message"].as_str().map(str::to_owned);
    }
    let content = answer["result"]["content"].as_array()?;
    let mut texts = content.iter().filter_map(|item| item["text"].as_str());
    texts.find(|text| text.ends_with(&format!("[{code}]"))).map(str::to_owned)
}

/// Whether a text matches the expected one, in which `…` matches anything.
fn matches(text: &str, expected: &str) -> bool {
    let mut parts = expected.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut is_open = false;
    for part in parts {
        is_open = part.is_empty();
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty() || is_open
}
