//! Parallel calls of one client must reach the same process, so that a server's state is not split.

use std::ffi::OsString;

use serde_json::{Value, json};

use super::case::{self, Case};
use super::clients::ERAS;
use super::upstreams::{thinking, thought};
use crate::example::{self, Server};
use crate::failure::Failure;
use crate::repo::{CONTROLLED, Repo};
use crate::run::Job;

/// The cases, and the gateway that they need while they run.
pub(crate) struct Stateful {
    pub(crate) cases: Vec<Case>,
    _gateway: Server,
}

/// The number of parallel calls.
const CALLS: usize = 8;

/// Returns cases in which a client that can be asked questions makes parallel calls, and one more.
/// Each answer has the number of thoughts that its process has had. So a single process answers
/// with 1 to 8, and then 9.
pub(crate) fn start(repo: &Repo) -> Result<Stateful, Failure> {
    let words = thinking(repo);
    let job = Job::command(repo, "peer state gateway", repo.overt());
    let gateway = example::announced(
        &job.args(CONTROLLED).args(["--http", "127.0.0.1:0"]).args(words.iter().cloned()),
    )?;
    let stdio = [repo.overt(), CONTROLLED.map(OsString::from).to_vec(), words].concat();
    let mut cases = Vec::new();
    for (front, target) in [("stdio", stdio), ("http", vec![OsString::from(&gateway.url)])] {
        for (era, version) in ERAS {
            let name = format!("state, TypeScript SDK 2.x, {front}, {version}");
            let calls: Vec<Value> = (1..=CALLS).map(call).collect();
            let job = Job::new(repo, &format!("peer {name}"), repo.node())
                .arg(repo.root.join("tools/peers/parallel.mjs"))
                .args([*era, &Value::from(calls).to_string(), &call(CALLS + 1).to_string()])
                .args(target.iter().cloned());
            cases.push(Case::new(name, move || check(&job, version)));
        }
    }
    Ok(Stateful { cases, _gateway: gateway })
}

fn call(number: usize) -> Value {
    json!({ "name": "sequentialthinking", "arguments": thought(number) })
}

fn check(job: &Job, version: &str) -> Result<String, Failure> {
    let report = case::json(job)?;
    case::demand_equal("the version", case::text(&report["version"]), version)?;
    let texts = case::entries(&report["texts"]);
    let mut seen: Vec<u64> = texts.iter().chain([&report["last"]]).map(thoughts_of).collect();
    seen.sort_unstable();
    match seen.iter().copied().eq(1..=CALLS as u64 + 1) {
        true => Ok(format!("{CALLS} parallel calls, one state")),
        false => Err(Failure::new(format!("the state is split: the processes had {seen:?} thoughts"))),
    }
}

/// Returns the number of thoughts in an answer.
fn thoughts_of(text: &Value) -> u64 {
    let answer: Value = serde_json::from_str(text.as_str().unwrap_or_default()).unwrap_or_default();
    answer["thoughtHistoryLength"].as_u64().unwrap_or(0)
}
