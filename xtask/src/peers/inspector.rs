//! The Inspector's command line against the example server: it lists and calls tools in both eras.

use std::ffi::OsString;
use std::path::Path;

use serde_json::{Value, json};

use super::case::{self, Case, MESSAGE};
use super::clients::ERAS;
use crate::failure::Failure;
use crate::repo::{Repo, path_with};
use crate::run::Job;

pub(crate) fn cases(repo: &Repo, url: &str) -> Result<Vec<Case>, Failure> {
    let server = vec![repo.binary("example-server").into(), "--stdio".into()];
    let config = repo.out.join("inspector.json");
    write_config(&config, &[("stdio".to_owned(), server), ("http".to_owned(), vec![url.into()])])?;
    let mut cases = Vec::new();
    for (era, version) in ERAS {
        for transport in ["stdio", "http"] {
            let name = format!("Inspector, {transport}, {version}");
            let job = job(repo, &name, &config, transport).args(["--protocol-era", era]);
            cases.push(Case::new(name, move || check(&job)));
        }
    }
    Ok(cases)
}

/// Writes a configuration of the Inspector, with the words that start each server or its URL. On
/// its command line, it would take options of a server as its own.
pub(crate) fn write_config(path: &Path, servers: &[(String, Vec<OsString>)]) -> Result<(), Failure> {
    let entry = |words: &[OsString]| {
        let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        match words.as_slice() {
            [url] => json!({ "type": "streamable-http", "url": url }),
            words => json!({ "command": words[0], "args": words[1..] }),
        }
    };
    let servers = servers.iter().map(|(name, words)| (name.clone(), entry(words)));
    let config = json!({ "mcpServers": serde_json::Map::from_iter(servers) });
    std::fs::write(path, config.to_string()).map_err(Failure::file("write", path))
}

/// Returns the job for the Inspector with a server of its configuration.
pub(crate) fn job(repo: &Repo, name: &str, config: &Path, server: &str) -> Job {
    let node = repo.node();
    Job::new(repo, &format!("peer {name}"), &node)
        .arg(repo.modules().join("@modelcontextprotocol/inspector/clients/launcher/build/index.js"))
        .args(["--cli", "--quiet", "--format", "json", "--server", server, "--config"])
        .arg(config)
        .env("PATH", path_with(node.parent().unwrap_or(Path::new("/"))))
        // Keep its state with our output, and not in the user's home.
        .env("HOME", &repo.out)
}

fn check(job: &Job) -> Result<String, Failure> {
    let listed = case::json(&job.clone().args(["--method", "tools/list"]))?;
    let tools = case::names(member(&listed, "tools"), "name");
    case::demand("tool", &tools, &["echo", "add"])?;

    let arguments = json!({ "message": MESSAGE }).to_string();
    let call = ["--method", "tools/call", "--tool-name", "echo", "--tool-args-json", &arguments];
    let called = case::json(&job.clone().args(call))?;
    let text = member(&called, "content")[0]["text"].as_str().unwrap_or_default();
    case::demand_equal("the echo", text, MESSAGE)?;
    Ok(format!("{} tools, echo", tools.len()))
}

/// Returns a member of the result, which the Inspector prints bare or as the member `result`.
pub(crate) fn member<'a>(answer: &'a Value, name: &str) -> &'a Value {
    if answer[name].is_null() { &answer["result"][name] } else { &answer[name] }
}
