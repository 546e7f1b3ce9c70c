//! `overt fs` with other people's clients, over stdio and HTTP, in both eras: list, read, preview,
//! apply, find, search, and a deletion that requires approval.

use std::ffi::OsString;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::approver::{self, Decision};
use super::case::{self, Case, MESSAGE};
use super::clients::{self, ERAS};
use super::inspector;
use crate::example::{self, Server};
use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::{Finished, Job};

/// The cases, and the HTTP server that they need while they run.
pub(crate) struct Files {
    pub(crate) cases: Vec<Case>,
    _server: Server,
}

const TOOLS: &[&str] = &[
    "list_directory",
    "read_file",
    "edit_file",
    "find_files",
    "search_files",
    "delete_file",
    "revert_change",
];

/// The replacement for `Grüße` in the file.
const EDITED: &str = "Gruß";

/// A call, and a text that its answer must contain.
struct Step {
    tool: &'static str,
    arguments: Value,
    meta: Value,
    wanted: &'static str,
}

/// A case's own folder, inside the served one.
#[derive(Clone)]
struct CaseFolder {
    served: PathBuf,
    name: String,
}

pub(crate) fn start(repo: &Repo) -> Result<Files, Failure> {
    let served = repo.out.join("peer-overt-files");
    std::fs::create_dir_all(&served).map_err(Failure::file("create", &served))?;
    let state = repo.out.join("peer-overt-state");
    let _ = std::fs::remove_dir_all(&state);
    approver::set_passphrase(&state)?;
    let overt = repo.overt_in(&state);
    let stdio =
        [overt.clone(), vec!["fs".into(), served.clone().into(), "--approval-wait".into(), "45s".into()]]
            .concat();
    let server = example::start_http(&Job::command(repo, "peer overt fs", stdio.clone()))?;
    let grants = Job::command(repo, "peer overt fs grants", overt).arg("grants");

    let clients = clients::scripted(repo, "files", "calls");
    let targets = [("stdio", stdio), ("http", vec![OsString::from(&server.url)])];
    let config = repo.out.join("inspector-files.json");
    inspector::write_config(&config, &targets.clone().map(|(name, words)| (name.to_owned(), words)))?;
    let mut cases = Vec::new();
    for (era, version) in ERAS {
        for (transport, target) in &targets {
            for (client, command) in &clients {
                let name = format!("overt fs, {client}, {transport}, {version}");
                let place = CaseFolder::new(&served, &name);
                let calls: Vec<Value> = steps(&place.name).iter().map(Step::written).collect();
                let job = Job::command(
                    repo,
                    &format!("peer {name}"),
                    command.iter().map(|word| word.clone().into_os_string()),
                )
                .args([era, "once", &Value::from(calls).to_string()])
                .args(target.iter().cloned());
                cases.push(Case::new(name, move || scripted(&job, &place, version)));
            }
            let name = format!("overt fs, Inspector, {transport}, {version}");
            let place = CaseFolder::new(&served, &name);
            let job = inspector::job(repo, &name, &config, transport).args(["--protocol-era", era]);
            let grants = grants.clone();
            cases.push(Case::new(name, move || inspected(&job, &grants, &place)));
        }
    }
    Ok(Files { cases, _server: server })
}

fn steps(folder: &str) -> Vec<Step> {
    let file = format!("{folder}/note.txt");
    let edit = json!({ "path": file, "edits": [{ "find": "Grüße", "replace": EDITED }] });
    let step = |tool, arguments, wanted| Step { tool, arguments, meta: json!({}), wanted };
    vec![
        step("list_directory", json!({ "path": folder }), "note.txt"),
        step("read_file", json!({ "path": file }), MESSAGE),
        Step { meta: json!({ "preview": true }), ..step("edit_file", edit.clone(), EDITED) },
        Step { meta: json!({ "dev.overt/plan": "PLAN" }), ..step("edit_file", edit, EDITED) },
        step("find_files", json!({ "path": folder, "pattern": "*.txt" }), "note.txt"),
        step("search_files", json!({ "path": folder, "pattern": EDITED, "literal": true }), "note.txt"),
        step("delete_file", json!({ "path": file }), "note.txt"),
    ]
}

/// Makes all calls in one session.
fn scripted(job: &Job, place: &CaseFolder, version: &str) -> Result<String, Failure> {
    place.fill()?;
    let report = case::json(job)?;
    case::demand_equal("the version", case::text(&report["version"]), version)?;
    let list = |member: &str| case::texts(&report[member]);
    case::demand("tool", &list("tools"), TOOLS)?;
    let steps = steps(&place.name);
    for (number, step) in steps.iter().enumerate() {
        step.check(&report["calls"][number])?;
    }
    case::demand_equal("the number of questions", &list("asked").len().to_string(), "1")?;
    place.demand_gone()?;
    Ok(format!("{} tools, {} calls", list("tools").len(), steps.len()))
}

/// Makes each call in its own session. The Inspector's command line can't ask, so a person answers
/// in another process.
fn inspected(job: &Job, grants: &Job, place: &CaseFolder) -> Result<String, Failure> {
    place.fill()?;
    let listed = case::json(&job.clone().args(["--method", "tools/list"]))?;
    let tools = case::names(inspector::member(&listed, "tools"), "name");
    case::demand("tool", &tools, TOOLS)?;
    let mut plan = String::new();
    let steps = steps(&place.name);
    for step in &steps {
        let arguments = step.arguments.to_string();
        let call = ["--method", "tools/call", "--tool-name", step.tool, "--tool-args-json", &arguments];
        let mut job = job.clone().args(call);
        for (name, value) in step.meta.as_object().into_iter().flatten() {
            let value = if value == "PLAN" { plan.clone() } else { value.to_string() };
            job = job.arg("--tool-metadata").arg(format!("{name}={value}"));
        }
        let finished = match step.tool {
            "delete_file" => approver::run_and_answer(&job, grants, Decision::Yes)?,
            _ => job.finish()?,
        };
        let result = printed(&finished)?;
        if let Some(made) = result["_meta"]["dev.overt/plan"].as_str() {
            plan = made.to_owned();
        }
        let text: Vec<&str> = case::names(&result["content"], "text");
        let structured = &result["structuredContent"];
        let is_error = result["isError"] == true;
        step.check(&json!({ "isError": is_error, "text": text.join("\n"), "structured": structured }))?;
        if step.meta["preview"] == true {
            place.demand_text(MESSAGE)?;
        }
    }
    place.demand_gone()?;
    Ok(format!("{} tools, {} calls", tools.len(), steps.len()))
}

/// Reads the Inspector's result, which it prints bare or as the member `result`.
fn printed(finished: &Finished) -> Result<Value, Failure> {
    let out = [finished.stdout(), finished.stderr()].join("\n");
    let line = out.lines().find(|line| line.starts_with('{')).unwrap_or_default();
    let answer: Value = serde_json::from_str(line)
        .map_err(|cause| Failure::new(format!("the Inspector did not print JSON: {cause}\n{out}")))?;
    Ok(if answer["result"].is_object() { answer["result"].clone() } else { answer })
}

impl Step {
    fn written(&self) -> Value {
        json!({ "name": self.tool, "arguments": self.arguments, "meta": self.meta })
    }

    fn check(&self, told: &Value) -> Result<(), Failure> {
        let (text, structured) = (case::text(&told["text"]), told["structured"].to_string());
        let holds = text.contains(self.wanted) || structured.contains(self.wanted);
        if told["isError"] == false && holds && told["structured"].is_object() {
            return Ok(());
        }
        Err(Failure::new(format!("`{}` with {}: no `{}` in {told}", self.tool, self.arguments, self.wanted)))
    }
}

impl CaseFolder {
    fn new(served: &std::path::Path, name: &str) -> Self {
        Self { served: served.to_owned(), name: name.replace([' ', ','], "-") }
    }

    fn file(&self) -> PathBuf {
        self.served.join(&self.name).join("note.txt")
    }

    fn fill(&self) -> Result<(), Failure> {
        let (folder, file) = (self.served.join(&self.name), self.file());
        std::fs::create_dir_all(&folder).map_err(Failure::file("create", &folder))?;
        std::fs::write(&file, MESSAGE).map_err(Failure::file("write", &file))
    }

    fn demand_text(&self, wanted: &str) -> Result<(), Failure> {
        let file = self.file();
        let found = std::fs::read_to_string(&file).map_err(Failure::file("read", &file))?;
        case::demand_equal("the file", &found, wanted)
    }

    fn demand_gone(&self) -> Result<(), Failure> {
        if self.file().exists() { Err(Failure::new("the file was not deleted")) } else { Ok(()) }
    }
}
