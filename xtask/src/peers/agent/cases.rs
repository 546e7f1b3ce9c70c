//! The cases: each SDK does the whole work in each era. Then the official server,
//! rust-mcp-filesystem and ours do it, and the cost of each is counted.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::super::case::{self, Case};
use super::super::clients::{ERAS, scripted};
use super::cost::{self, Texts};
use super::plan::{Call, EDITS, Outcome, Tools};
use super::project;
use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;
use crate::say;
use crate::setup::RUST_MCP_FILESYSTEM;

/// A client, and the era that it speaks.
#[derive(Debug, Clone)]
struct Client {
    command: Vec<PathBuf>,
    era: &'static str,
}

/// The calls and answers of one day.
struct Day {
    morning: (Vec<Call>, Value),
    afternoon: (Vec<Call>, Value),
    definitions: Value,
}

/// A server that does the work, and how it is started.
struct Server {
    name: &'static str,
    tools: Tools,
    program: Vec<OsString>,
}

pub(crate) fn cases(repo: &Repo) -> Vec<Case> {
    let clients = scripted(repo, "files", "calls");
    let mut cases = Vec::new();
    for (era, version) in ERAS {
        for (name, command) in &clients {
            let name = format!("day of a coding agent, {name}, {version}");
            let (repo, client, label) =
                (repo.clone(), Client { command: command.clone(), era }, name.clone());
            cases.push(Case::new(name, move || {
                let day = day(&repo, &client, &overt(&repo), &label)?;
                Ok(format!("{} calls, {EDITS} edits", day.morning.0.len() + day.afternoon.0.len()))
            }));
        }
    }
    let (repo, client) = (repo.clone(), Client { command: clients[0].1.clone(), era: "legacy" });
    let name = "day of a coding agent, beside other servers".to_owned();
    cases.push(Case::new(name, move || compare_costs(&repo, &client)));
    cases
}

/// Does the same work with each server, and prints what it costs a model.
fn compare_costs(repo: &Repo, client: &Client) -> Result<String, Failure> {
    let mut rows = Vec::new();
    for server in servers(repo) {
        let name = server.name;
        let day = day(repo, client, &server, &format!("day of a coding agent, {name}"))?;
        let mut texts = Texts::default();
        for (calls, answers) in [&day.morning, &day.afternoon] {
            texts.add(calls, answers);
        }
        texts.add_definitions(&day.definitions);
        rows.push((name, texts.cost(repo)?));
    }
    cost::show(&rows);
    let calls: Vec<String> = rows.iter().map(|(name, cost)| format!("{name} {} calls", cost.calls)).collect();
    Ok(calls.join(", "))
}

/// Returns the installed servers. Building rust-mcp-filesystem takes minutes, so only `--peers`
/// installs it.
fn servers(repo: &Repo) -> Vec<Server> {
    let script = repo.modules().join("@modelcontextprotocol/server-filesystem/dist/index.js");
    let official = vec![repo.node().into(), script.into()];
    let mut servers =
        vec![overt(repo), Server { name: "server-filesystem", tools: Tools::Official, program: official }];
    match RUST_MCP_FILESYSTEM.installed(repo) {
        Some(program) => {
            let program = vec![program.into(), "--allow-write".into()];
            servers.push(Server { name: "rust-mcp-filesystem", tools: Tools::RustMcp, program });
        }
        None => say::line(
            "rust-mcp-filesystem is left out, because it is not installed: \
             `cargo xtask peers agent --peers` installs it",
        ),
    }
    servers
}

fn overt(repo: &Repo) -> Server {
    let program = vec![repo.binary("overt").into(), "fs".into()];
    Server { name: "overt fs", tools: Tools::Overt, program }
}

fn day(repo: &Repo, client: &Client, server: &Server, name: &str) -> Result<Day, Failure> {
    let place = repo.out.join(format!("peer-agent-{}", name.replace([' ', ',', '.'], "-")));
    let root = place.join("project");
    let _ = std::fs::remove_dir_all(&place);
    project::fill(&root)?;
    let command = command(server, &place, &root);
    let run = |calls: &[Call]| report(repo, client, name, calls, &command);

    let morning = server.tools.morning(&root);
    let report = run(&morning)?;
    let seen = report["calls"].clone();
    check(&morning, &seen)?;
    let etag = seen.as_array().and_then(|all| all.last()?["structured"]["etag"].as_str()).unwrap_or_default();
    let afternoon = server.tools.afternoon(&root, etag);
    project::edit_as_person(&root)?;
    let answers = run(&afternoon)?["calls"].clone();
    check(&afternoon, &answers)?;
    project::check(&root)?;
    let definitions = report["definitions"].clone();
    Ok(Day { morning: (morning, seen), afternoon: (afternoon, answers), definitions })
}

/// Returns the command that serves the folder. Ours keeps its audit log and journal, as for a user.
fn command(server: &Server, place: &Path, root: &Path) -> Vec<OsString> {
    let mut state = OsString::from("OVERT_STATE_DIR=");
    state.push(place.join("state"));
    let mut command = vec!["env".into(), state];
    command.extend(server.program.iter().cloned());
    command.push(root.into());
    command
}

/// Returns the client's report of the calls. No question may be asked.
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
    Ok(report)
}

/// Checks that every call succeeds the first time, except the one that must conflict.
fn check(calls: &[Call], answers: &Value) -> Result<(), Failure> {
    for (number, call) in calls.iter().enumerate() {
        let answer = &answers[number];
        let text = case::text(&answer["text"]);
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
