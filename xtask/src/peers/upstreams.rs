//! Other people's servers as upstreams of `overt run`, with a call to each.

use std::ffi::OsString;
use std::path::Path;

use serde_json::{Value, json};

use super::case::{self, MESSAGE};
use super::servers::{self, Servers};
use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;

/// A server behind `overt run`, and a call to it.
pub(crate) struct Upstream {
    pub(crate) name: &'static str,
    /// Options of `overt run`, then the target.
    pub(crate) words: Vec<OsString>,
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
    pub(crate) answer: Answer,
    /// Clients that can't make this call.
    pub(crate) not_with: &'static [&'static str],
}

/// The expected text of an answer.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    Equals(String),
    Contains(&'static str),
}

impl Answer {
    pub(crate) fn check(&self, text: &str) -> Result<(), Failure> {
        match self {
            Self::Equals(answer) => case::demand_equal("the answer", text, answer),
            Self::Contains(part) if text.contains(part) => Ok(()),
            Self::Contains(part) => Err(Failure::new(format!("the answer `{text}` has no `{part}`"))),
        }
    }
}

/// Returns all upstreams. Each client meets each of them.
pub(crate) fn upstreams(repo: &Repo, servers: &Servers) -> Result<Vec<Upstream>, Failure> {
    let (node, python) = (OsString::from(repo.node()), OsString::from(repo.python()));
    let (everything, fastmcp) = (servers::everything(repo), servers::fastmcp(repo));
    let (files, file) = servers::filesystem_command(repo)?;
    let echo = |name, words, prefix: &str| Upstream {
        name,
        words,
        tool: "echo",
        arguments: json!({ "message": MESSAGE }),
        answer: Answer::Equals(format!("{prefix}{MESSAGE}")),
        not_with: &[],
    };
    let mut all = vec![
        echo(
            "server-everything, stdio",
            vec!["--".into(), node, everything.into(), "stdio".into()],
            "Echo: ",
        ),
        echo("server-everything, http", vec![OsString::from(&servers.everything_url)], "Echo: "),
        echo("FastMCP, stdio", vec!["--".into(), python, fastmcp.into(), "--stdio".into()], ""),
        // Use the newer era for older clients too.
        echo(
            "FastMCP 2026-07-28, http",
            vec!["--protocol".into(), "2026-07-28".into(), OsString::from(&servers.fastmcp_url)],
            "",
        ),
        Upstream {
            name: "server-filesystem, stdio",
            words: [vec![OsString::from("--")], files].concat(),
            tool: "read_text_file",
            arguments: json!({ "path": file }),
            answer: Answer::Equals(MESSAGE.to_owned()),
            not_with: &[],
        },
    ];
    all.extend(reference(repo)?);
    Ok(all)
}

/// Returns popular servers, over stdio.
fn reference(repo: &Repo) -> Result<[Upstream; 5], Failure> {
    let dir = repo.out.join("peer-servers");
    std::fs::create_dir_all(&dir).map_err(Failure::file("create", &dir))?;
    let checkout = dir.join("checkout");
    if !checkout.join(".git").exists() {
        Job::new(repo, "peer git init", "git").args(["init", "--quiet"]).arg(&checkout).succeed()?;
    }
    let memory = dir.join("memory.json");
    let mut file = OsString::from("MEMORY_FILE_PATH=");
    file.push(&memory);
    Ok([
        Upstream {
            name: "server-memory, stdio",
            words: [
                vec!["--env".into(), file],
                of_npm(repo, "@modelcontextprotocol/server-memory/dist/index.js"),
            ]
            .concat(),
            tool: "search_nodes",
            arguments: json!({ "query": "nobody wrote this" }),
            answer: Answer::Contains("\"entities\": []"),
            not_with: &[],
        },
        Upstream {
            name: "sequential-thinking, stdio",
            words: thinking(repo),
            tool: "sequentialthinking",
            arguments: thought(1),
            answer: Answer::Contains("\"thoughtHistoryLength\": "),
            not_with: &[],
        },
        Upstream {
            name: "Playwright, stdio",
            words: [of_npm(repo, "@playwright/mcp/cli.js"), vec!["--headless".into(), "--isolated".into()]]
                .concat(),
            // Without a browser the answer says so; with one, no page is open that could be closed.
            tool: "browser_close",
            arguments: json!({}),
            answer: Answer::Contains("### "),
            // This client raises the tool's error as an exception.
            not_with: &["FastMCP client"],
        },
        Upstream {
            name: "mcp-server-git, stdio",
            words: of_python(repo, &["mcp_server_git", "--repository"], Some(&checkout)),
            tool: "git_status",
            arguments: json!({ "repo_path": checkout }),
            answer: Answer::Contains("No commits yet"),
            not_with: &[],
        },
        Upstream {
            name: "mcp-server-time, stdio",
            words: of_python(repo, &["mcp_server_time", "--local-timezone", "UTC"], None),
            tool: "convert_time",
            arguments: json!({ "source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo" }),
            answer: Answer::Contains("T21:00:00+09:00"),
            not_with: &[],
        },
    ])
}

/// Returns the target of server-sequential-thinking, which counts the thoughts of its process.
pub(crate) fn thinking(repo: &Repo) -> Vec<OsString> {
    of_npm(repo, "@modelcontextprotocol/server-sequential-thinking/dist/index.js")
}

pub(crate) fn thought(number: usize) -> Value {
    json!({
        "thought": format!("thought {number}"),
        "thoughtNumber": number,
        "totalThoughts": 9,
        "nextThoughtNeeded": true,
    })
}

fn of_npm(repo: &Repo, script: &str) -> Vec<OsString> {
    vec!["--".into(), repo.node().into(), repo.modules().join(script).into()]
}

fn of_python(repo: &Repo, words: &[&str], last: Option<&Path>) -> Vec<OsString> {
    let words = words.iter().map(OsString::from).chain(last.map(OsString::from));
    [vec!["--".into(), repo.python().into(), "-m".into()], words.collect()].concat()
}
