//! A person's decisions apply between other people's clients and other people's servers: a denied
//! call is refused, a call that requires approval asks and proceeds only after a yes, a policy
//! narrows and can't widen, and the audit log records all of it.

use std::ffi::OsString;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::approver::{self, Decision};
use super::case::{self, Case};
use super::clients::ERAS;
use super::{inspector, servers};
use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::{Finished, Job};

/// A server, and a call that changes something.
struct Subject {
    name: &'static str,
    command: Vec<OsString>,
    tool: &'static str,
    arguments: Value,
}

/// One call, and its expected outcome.
struct Step {
    name: &'static str,
    /// More options of `overt run`.
    options: &'static [&'static str],
    /// The person's answer. Most calls must be decided without asking.
    person: Decision,
    policy: Option<Value>,
    wanted: Wanted,
    /// Kind and decision of each record about the call.
    records: &'static [&'static str],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// The tool is hidden and refused, without asking a person.
    Hidden,
    Done,
    RefusedByPerson,
    /// Refused without asking a person.
    RefusedByPolicy,
    /// JSON-RPC error -32602, without asking a person.
    Widening,
}

/// Where the person answers. The process that is told the answer records it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnsweredIn {
    Client,
    AnotherProcess,
}

/// What a client observed of a call.
struct ObservedCall {
    asked: usize,
    tools: Option<Vec<String>>,
    is_error: bool,
    /// The error code in the metadata of a tool error.
    code: String,
    /// Code and kind of a JSON-RPC error.
    error: Option<String>,
}

pub(crate) fn cases(repo: &Repo) -> Result<Vec<Case>, Failure> {
    let (filesystem, file) = servers::filesystem_command(repo)?;
    let written = file.with_file_name("written.txt");
    let everything = vec![repo.node().into(), servers::everything(repo).into(), "stdio".into()];
    let subjects = [
        Subject {
            name: "server-filesystem",
            command: filesystem,
            tool: "write_file",
            arguments: json!({ "path": written, "content": "written by a tool" }),
        },
        Subject {
            name: "server-everything",
            command: everything,
            tool: "toggle-simulated-logging",
            arguments: json!({}),
        },
    ];
    let scripts = [
        ("TypeScript SDK 2.x", repo.node(), "tools/peers/control.mjs"),
        ("Python SDK", repo.python(), "tools/peers/control.py"),
    ];
    let mut cases = Vec::new();
    for subject in &subjects {
        for (era, version) in ERAS {
            for (client, program, script) in &scripts {
                cases.push(scripted(
                    repo,
                    subject,
                    client,
                    [program, &repo.root.join(script)],
                    (era, version),
                ));
            }
            cases.push(inspected(repo, subject, (era, version)));
        }
    }
    Ok(cases)
}

fn steps(tool: &str) -> Vec<Step> {
    let plain =
        |name, person, wanted, records| Step { name, options: &[], person, policy: None, wanted, records };
    let yes = &["approval_request needs_approval", "approval allow", "intent allow", "outcome allow"];
    let no = &["approval_request needs_approval", "approval deny", "deny deny"];
    let limits = |bytes: u32| json!({ "limits": { "result_bytes": bytes } });
    vec![
        Step {
            options: &["--deny", "write"],
            ..plain("denied", Decision::Yes, Wanted::Hidden, &["deny deny"])
        },
        plain("yes", Decision::Yes, Wanted::Done, yes),
        plain("no", Decision::No, Wanted::RefusedByPerson, no),
        Step {
            policy: Some(json!({ "tools": { "deny": [tool] } })),
            ..plain("narrowed", Decision::Yes, Wanted::RefusedByPolicy, &["deny deny"])
        },
        Step {
            policy: Some(json!([limits(1_000), limits(100_000)])),
            ..plain("widened", Decision::Yes, Wanted::Widening, &["deny deny"])
        },
    ]
}

/// Returns the case of a client that asks its person in its own dialog.
fn scripted(
    repo: &Repo,
    subject: &Subject,
    client: &str,
    [program, script]: [&PathBuf; 2],
    (era, version): (&'static str, &'static str),
) -> Case {
    let name = format!("control, {}, {client}, {version}", subject.name);
    let state = State::new(repo, &name);
    let jobs: Vec<(Step, Job)> = steps(subject.tool)
        .into_iter()
        .map(|step| {
            let meta = step.policy.as_ref().map_or_else(|| json!({}), |policy| json!({ "policy": policy }));
            let job = Job::new(repo, &format!("peer {name} {}", step.name), program).arg(script).args([
                era,
                step.person.word(),
                &meta.to_string(),
                subject.tool,
                &subject.arguments.to_string(),
            ]);
            let job = job.args(state.run(step.options, &subject.command));
            (step, job)
        })
        .collect();
    let tool = subject.tool;
    Case::new(name, move || {
        state.clear()?;
        for (step, job) in &jobs {
            let report = case::json(job)?;
            case::demand_equal("the version", case::text(&report["version"]), version)?;
            let error = &report["error"];
            let seen = ObservedCall {
                asked: report["asked"].as_array().map_or(0, Vec::len),
                tools: Some(words(&report["tools"])),
                is_error: report["isError"] == true,
                code: code(&report["meta"]),
                error: error["code"]
                    .is_i64()
                    .then(|| format!("{} {}", error["code"], case::text(&error["data"]["kind"]))),
            };
            step.check(tool, &seen).map_err(|failure| Failure::new(format!("{}: {failure}", step.name)))?;
        }
        let records =
            state.audit(&jobs.iter().map(|(step, _)| step).collect::<Vec<_>>(), AnsweredIn::Client)?;
        Ok(format!("{} calls, {records} records", jobs.len()))
    })
}

/// Returns the case of the Inspector's command line, which can't ask. A person answers in another
/// process while its call waits.
fn inspected(repo: &Repo, subject: &Subject, (era, version): (&'static str, &'static str)) -> Case {
    let name = format!("control, {}, Inspector, {version}", subject.name);
    let state = State::new(repo, &name);
    let config = repo.out.join(format!("{}.json", name.replace([' ', ','], "-")));
    let mut entries = Vec::new();
    let jobs: Vec<(Step, Job)> = steps(subject.tool)
        .into_iter()
        .map(|step| {
            // Only with this option does a call wait for an answer from outside the client.
            let options = [step.options, &["--approval-wait", "45s"]].concat();
            let run = state.run(&options, &subject.command);
            entries.push((step.name.to_owned(), run));
            let arguments = subject.arguments.to_string();
            let job = inspector::job(repo, &format!("{name} {}", step.name), &config, step.name)
                .args(["--protocol-era", era, "--method", "tools/call", "--tool-name", subject.tool])
                .args(["--tool-args-json", &arguments]);
            let job = match &step.policy {
                Some(policy) => job.arg("--tool-metadata").arg(format!("policy={policy}")),
                None => job,
            };
            (step, job)
        })
        .collect();
    let tool = subject.tool;
    Case::new(name, move || {
        state.clear()?;
        inspector::write_config(&config, &entries)?;
        for (step, job) in &jobs {
            let must_ask = matches!(step.wanted, Wanted::Done | Wanted::RefusedByPerson);
            // The exit code says that the tool failed, so don't demand success.
            let finished = match must_ask {
                true => approver::run_and_answer(job, &state.overt("grants"), step.person)?,
                false => job.finish()?,
            };
            if step.wanted == Wanted::Hidden {
                // The Inspector lists the tools first, and does not even call a tool that is
                // missing.
                case::demand("error", &[finished.stderr().trim()], &[&not_found(tool)])?;
                continue;
            }
            let seen = inspector_saw(&finished, usize::from(must_ask))?;
            step.check(tool, &seen).map_err(|failure| Failure::new(format!("{}: {failure}", step.name)))?;
        }
        let made = jobs.iter().map(|(step, _)| step).filter(|step| step.wanted != Wanted::Hidden);
        let records = state.audit(&made.collect::<Vec<_>>(), AnsweredIn::AnotherProcess)?;
        Ok(format!("{} calls, {records} records", jobs.len()))
    })
}

fn not_found(tool: &str) -> String {
    let message = format!("Tool '{tool}' not found on server.");
    json!({ "error": { "code": "tool_not_found", "message": message } }).to_string()
}

/// Reads the Inspector's output. A result is on standard output, an error on standard error.
fn inspector_saw(finished: &Finished, asked: usize) -> Result<ObservedCall, Failure> {
    let out = [finished.stdout(), finished.stderr()].join("\n");
    let first = out.lines().find(|line| line.starts_with('{')).unwrap_or_default();
    let answer: Value = serde_json::from_str(first)
        .map_err(|cause| Failure::new(format!("the Inspector did not print JSON: {cause}\n{out}")))?;
    let result = if answer["result"].is_object() { &answer["result"] } else { &answer };
    let is_refusal = result["content"].is_null();
    Ok(ObservedCall {
        asked,
        tools: None,
        is_error: result["isError"] == true,
        code: code(&result["_meta"]),
        // The Inspector shows the message of a JSON-RPC error without its code and data.
        error: is_refusal.then(|| match first.contains("a policy can only narrow what is allowed") {
            true => "-32602 policy_expansion".to_owned(),
            false => first.to_owned(),
        }),
    })
}

impl Step {
    fn check(&self, tool: &str, seen: &ObservedCall) -> Result<(), Failure> {
        let (asked, is_error, code, error) = match self.wanted {
            Wanted::Hidden | Wanted::RefusedByPolicy => (0, true, "PERMISSION_DENIED", ""),
            Wanted::Done => (1, false, "", ""),
            Wanted::RefusedByPerson => (1, true, "PERMISSION_DENIED", ""),
            Wanted::Widening => (0, false, "", "-32602 policy_expansion"),
        };
        case::demand_equal("the number of questions", &seen.asked.to_string(), &asked.to_string())?;
        case::demand_equal("the JSON-RPC error", seen.error.as_deref().unwrap_or_default(), error)?;
        case::demand_equal("whether it failed", &seen.is_error.to_string(), &is_error.to_string())?;
        case::demand_equal("the reason", &seen.code, code)?;
        let shown = seen.tools.as_ref().map(|tools| tools.iter().any(|name| name == tool));
        match (shown, self.wanted == Wanted::Hidden) {
            (Some(true), true) => Err(Failure::new(format!("`{tool}` is listed although it is denied"))),
            (Some(false), false) => Err(Failure::new(format!("`{tool}` is not listed"))),
            _ => Ok(()),
        }
    }
}

/// A case's own state folder, and `overt` commands that use it.
#[derive(Clone)]
struct State {
    repo: Repo,
    dir: PathBuf,
    name: String,
}

impl State {
    fn new(repo: &Repo, name: &str) -> Self {
        let dir = repo.out.join("control").join(name.replace([' ', ','], "-"));
        Self { repo: repo.clone(), dir, name: name.to_owned() }
    }

    /// Removes the state of an earlier run, whose records would be found in the log.
    fn clear(&self) -> Result<(), Failure> {
        match std::fs::remove_dir_all(&self.dir) {
            Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => {
                Err(Failure::file("remove", &self.dir)(cause))
            }
            _ => approver::set_passphrase(&self.dir),
        }
    }

    /// Returns the command for `overt run` in front of a server.
    fn run(&self, options: &[&str], server: &[OsString]) -> Vec<OsString> {
        let mut words = self.repo.overt_in(&self.dir);
        words.push("run".into());
        words.extend(options.iter().map(OsString::from));
        words.push("--".into());
        words.extend(server.iter().cloned());
        words
    }

    fn overt(&self, command: &str) -> Job {
        Job::command(&self.repo, &format!("peer {} {command}", self.name), self.repo.overt_in(&self.dir))
            .arg(command)
    }

    /// Checks that the log is intact and has exactly the expected records, in their order. Returns
    /// their number.
    fn audit(&self, steps: &[&Step], answered: AnsweredIn) -> Result<usize, Failure> {
        self.overt("audit").args(["verify", "--format", "json"]).succeed()?;
        let found = case::json(&self.overt("audit").args(["query", "--format", "json", "--limit", "1000"]))?;
        // Answers from outside the client are in a separate log.
        let about_calls = |record: &&Value| !record["call"].is_null() && record["log"] != "grants";
        let records = case::entries(&found["records"]).iter().filter(about_calls);
        let told: Vec<String> = records
            .map(|record| format!("{} {}", case::text(&record["kind"]), case::text(&record["decision"])))
            .collect();
        let is_here = |record: &&str| answered == AnsweredIn::Client || !record.starts_with("approval ");
        let wanted = steps.iter().flat_map(|step| step.records).copied();
        let wanted: Vec<&str> = wanted.filter(is_here).collect();
        case::demand_equal("what the log tells", &told.join(", "), &wanted.join(", "))?;
        Ok(told.len())
    }
}

fn code(meta: &Value) -> String {
    case::text(&meta["dev.overt/error"]["code"]).to_owned()
}

fn words(list: &Value) -> Vec<String> {
    case::texts(list).into_iter().map(str::to_owned).collect()
}
