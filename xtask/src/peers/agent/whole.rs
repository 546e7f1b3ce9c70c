//! The cases: each SDK in each era does the whole work, and then the official server does it beside ours, both counted.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::super::case::{self, Case};
use super::super::clients::ERAS;
use super::cost::{self, Cost, Counter};
use super::plan::{Call, EDITS, Outcome, Tools};
use super::project;
use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;

/// A client, and the era that it speaks.
#[derive(Debug, Clone)]
struct Client {
    command: Vec<PathBuf>,
    era: &'static str,
}

/// What came of a day.
struct Day {
    morning: (Vec<Call>, Value),
    afternoon: (Vec<Call>, Value),
}

pub(crate) fn cases(repo: &Repo) -> Vec<Case> {
    let typescript = vec![repo.node(), repo.root.join("tools/peers/files.mjs")];
    let clients = [
        ("TypeScript SDK 2.x", typescript.clone()),
        ("Python SDK", vec![repo.python(), repo.root.join("tools/peers/files.py")]),
        ("rmcp client", vec![repo.rmcp_peer(), PathBuf::from("calls")]),
    ];
    let mut cases = Vec::new();
    for (era, version) in ERAS {
        for (name, command) in &clients {
            let name = format!("day of a coding agent, {name}, {version}");
            let (repo, client, label) =
                (repo.clone(), Client { command: command.clone(), era }, name.clone());
            cases.push(Case::new(name, move || {
                let day = day(&repo, &client, Tools::Overt, &label)?;
                Ok(format!("{} calls, {EDITS} edits", day.morning.0.len() + day.afternoon.0.len()))
            }));
        }
    }
    let (repo, client) = (repo.clone(), Client { command: typescript, era: "legacy" });
    let name = "day of a coding agent, beside the official server".to_owned();
    cases.push(Case::new(name, move || beside(&repo, &client)));
    cases
}

/// The same work with both servers, and what each costs a model.
fn beside(repo: &Repo, client: &Client) -> Result<String, Failure> {
    let counter = Counter::new()?;
    let mut rows = Vec::new();
    for (name, tools) in [("overt fs", Tools::Overt), ("server-filesystem", Tools::Official)] {
        let day = day(repo, client, tools, &format!("day of a coding agent, {name}"))?;
        let mut cost = Cost::default();
        for (calls, answers) in [&day.morning, &day.afternoon] {
            counter.add(&mut cost, calls, answers);
        }
        rows.push((name, cost));
    }
    cost::show(&rows);
    let calls: Vec<String> = rows.iter().map(|(name, cost)| format!("{name} {} calls", cost.calls)).collect();
    Ok(calls.join(", "))
}

fn day(repo: &Repo, client: &Client, tools: Tools, name: &str) -> Result<Day, Failure> {
    let place = repo.out.join(format!("peer-agent-{}", name.replace([' ', ',', '.'], "-")));
    let root = place.join("project");
    let _ = std::fs::remove_dir_all(&place);
    project::fill(&root)?;
    let server = server(repo, tools, &place, &root);
    let run = |calls: &[Call]| report(repo, client, name, calls, &server);

    let morning = tools.morning(&root);
    let seen = run(&morning)?;
    check(&morning, &seen)?;
    let etag = seen.as_array().and_then(|all| all.last()?["structured"]["etag"].as_str()).unwrap_or_default();
    let afternoon = tools.afternoon(&root, etag);
    project::edit_as_person(&root)?;
    let answers = run(&afternoon)?;
    check(&afternoon, &answers)?;
    project::check(&root)?;
    Ok(Day { morning: (morning, seen), afternoon: (afternoon, answers) })
}

/// Ours as a user has it, with its audit log and its journal.
fn server(repo: &Repo, tools: Tools, place: &Path, root: &Path) -> Vec<OsString> {
    match tools {
        Tools::Overt => {
            let mut environment = OsString::from("OVERT_STATE_DIR=");
            environment.push(place.join("state"));
            vec!["env".into(), environment, repo.binary("overt").into(), "fs".into(), root.into()]
        }
        Tools::Official => {
            let script = repo.modules().join("@modelcontextprotocol/server-filesystem/dist/index.js");
            vec![repo.node().into(), script.into(), root.into()]
        }
    }
}

/// What each call was answered with. Nobody is asked anything.
fn report(
    repo: &Repo,
    client: &Client,
    name: &str,
    calls: &[Call],
    server: &[OsString],
) -> Result<Value, Failure> {
    let calls: Vec<Value> = calls
        .iter()
        .map(|call| json!({ "name": call.tool, "arguments": call.arguments, "meta": {} }))
        .collect();
    let command = client.command.iter().map(|word| word.clone().into_os_string());
    let job = Job::command(repo, &format!("peer {name}"), command)
        .args([client.era, "once", &Value::from(calls).to_string()])
        .args(server.iter().cloned());
    let report = case::json(&job)?;
    case::demand_equal("what was asked", &report["asked"].to_string(), "[]")?;
    Ok(report["calls"].clone())
}

/// Every call is right the first time; the only one that is refused meets the person's edit.
fn check(calls: &[Call], answers: &Value) -> Result<(), Failure> {
    for (number, call) in calls.iter().enumerate() {
        let answer = &answers[number];
        let text = answer["text"].as_str().unwrap_or_default();
        let is_right = match call.outcome {
            Outcome::Done => answer["isError"] == false,
            Outcome::Conflict => answer["isError"] == true && text.contains("[CONFLICT]"),
        };
        if !is_right {
            let wanted = call.outcome;
            return Err(Failure::new(format!(
                "`{}` with {}: not {wanted:?}: {answer}",
                call.tool, call.arguments
            )));
        }
    }
    Ok(())
}
