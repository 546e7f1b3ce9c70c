//! The official clients against the example server, over each transport and in each era that the
//! client speaks.

use std::ffi::OsString;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::case::{self, Case, MESSAGE};
use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;

/// An era as the clients' scripts name it, with the version that must be negotiated.
pub(crate) const ERAS: &[(&str, &str)] = &[("legacy", "2025-11-25"), ("modern", "2026-07-28")];

/// What the example server must show to every client.
const TOOLS: &[&str] = &["echo", "add", "test_simple_text", "test_image_content"];
const RESOURCES: &[&str] = &["test://static-text", "test://static-binary"];
const PROMPTS: &[&str] = &["test_simple_prompt", "test_prompt_with_arguments"];

pub(crate) struct Client {
    pub(crate) name: &'static str,
    pub(crate) eras: &'static [(&'static str, &'static str)],
    /// The command that starts it. The era, the tool, its arguments and the target follow.
    command: fn(&Repo) -> Vec<PathBuf>,
}

pub(crate) const CLIENTS: &[Client] = &[
    Client {
        name: "TypeScript SDK 1.x",
        eras: &[ERAS[0]],
        command: |repo| vec![repo.node(), repo.root.join("tools/peers/sdk1.mjs")],
    },
    Client {
        name: "TypeScript SDK 2.x",
        eras: ERAS,
        command: |repo| vec![repo.node(), repo.root.join("tools/peers/sdk2.mjs")],
    },
    Client {
        name: "Python SDK",
        eras: ERAS,
        command: |repo| vec![repo.python(), repo.root.join("tools/peers/python_sdk.py")],
    },
    Client {
        name: "FastMCP client",
        eras: ERAS,
        command: |repo| vec![repo.python(), repo.root.join("tools/peers/fastmcp_client.py")],
    },
    Client {
        name: "rmcp client",
        eras: ERAS,
        command: |repo| vec![repo.example("rmcp_client"), PathBuf::from("call")],
    },
];

/// Returns the clients that run a script of `tools/peers` or a part of `rmcp_client`, by name.
pub(crate) fn scripted(repo: &Repo, script: &str, part: &str) -> [(&'static str, Vec<PathBuf>); 3] {
    let path = |end: &str| repo.root.join(format!("tools/peers/{script}.{end}"));
    [
        ("TypeScript SDK 2.x", vec![repo.node(), path("mjs")]),
        ("Python SDK", vec![repo.python(), path("py")]),
        ("rmcp client", vec![repo.example("rmcp_client"), PathBuf::from(part)]),
    ]
}

pub(crate) fn cases(repo: &Repo, url: &str) -> Vec<Case> {
    let server = repo.binary("example-server").into_os_string();
    let targets = [("stdio", vec![server, "--stdio".into()]), ("http", vec![OsString::from(url)])];
    let mut cases = Vec::new();
    for client in CLIENTS {
        for (era, version) in client.eras {
            for (transport, target) in &targets {
                let name = format!("{}, {transport}, {version}", client.name);
                let arguments = json!({ "message": MESSAGE });
                let job = client.job(repo, &name, era, ("echo", &arguments)).args(target.iter().cloned());
                cases.push(Case::new(name, move || check(&job, version)));
            }
        }
    }
    cases
}

impl Client {
    /// Returns the job for a client in an era with one call to make. The caller adds the target.
    pub(crate) fn job(&self, repo: &Repo, name: &str, era: &str, (tool, arguments): (&str, &Value)) -> Job {
        let mut command = (self.command)(repo).into_iter();
        let program = command.next().unwrap_or_default();
        Job::new(repo, &format!("peer {name}"), program).args(command).args([
            era,
            tool,
            &arguments.to_string(),
        ])
    }
}

/// Checks the report, which has the same form for all clients' scripts.
fn check(job: &Job, version: &str) -> Result<String, Failure> {
    let report = case::json(job)?;
    let list = |member: &str| case::texts(&report[member]);
    let (tools, resources, prompts) = (list("tools"), list("resources"), list("prompts"));
    case::demand("tool", &tools, TOOLS)?;
    case::demand("resource", &resources, RESOURCES)?;
    case::demand("prompt", &prompts, PROMPTS)?;
    case::demand_equal("the version", case::text(&report["version"]), version)?;
    case::demand_equal("the echo", case::text(&report["text"]), MESSAGE)?;
    Ok(format!("{} tools, {} resources, {} prompts, echo", tools.len(), resources.len(), prompts.len()))
}
