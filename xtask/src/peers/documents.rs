//! The documents that `overt describe` writes about other people's servers, read by other people's
//! readers, and what other people's clients get through `overt run --manifest`.

use std::ffi::OsString;
use std::path::PathBuf;

use serde_json::Value;

use super::case::{self, Case};
use super::servers;
use crate::example;
use crate::failure::Failure;
use crate::repo::{PASSING, Repo};
use crate::run::Job;

/// A server, and the command that starts it.
struct Subject {
    name: &'static str,
    command: Vec<OsString>,
    /// `None` for a server that declares everything itself.
    manifest: Option<PathBuf>,
    /// The number of Tool Cards that it must have.
    cards: u64,
}

pub(crate) fn cases(repo: &Repo) -> Result<Vec<Case>, Failure> {
    let subjects = subjects(repo)?;
    let mut cases: Vec<Case> = subjects.iter().map(|subject| written(repo, subject)).collect();
    for subject in subjects.iter().filter(|subject| subject.manifest.is_some()) {
        cases.push(served(repo, subject));
        cases.extend(clients(repo, subject));
    }
    Ok(cases)
}

fn subjects(repo: &Repo) -> Result<Vec<Subject>, Failure> {
    let manifest = |name: &str| Some(repo.root.join(format!("examples/manifests/{name}/overt.toml")));
    let python = |module: &str| vec![repo.python().into(), "-m".into(), module.into()];
    let everything = vec![repo.node().into(), servers::everything(repo).into(), "stdio".into()];
    let (filesystem, _) = servers::filesystem_command(repo)?;
    let example = vec![repo.binary("example-server").into(), "--stdio".into()];
    Ok(vec![
        Subject { name: "example server", command: example, manifest: None, cards: 3 },
        Subject { name: "everything", command: everything, manifest: manifest("everything"), cards: 13 },
        Subject { name: "filesystem", command: filesystem, manifest: manifest("filesystem"), cards: 14 },
        Subject { name: "git", command: python("mcp_server_git"), manifest: manifest("git"), cards: 12 },
        Subject { name: "fetch", command: python("mcp_server_fetch"), manifest: manifest("fetch"), cards: 1 },
    ])
}

impl Subject {
    /// Returns the options that name the manifest.
    fn declared(&self) -> Vec<OsString> {
        self.manifest.iter().flat_map(|manifest| ["--manifest".into(), manifest.into()]).collect()
    }

    /// Returns the target, after the `--`.
    fn target(&self) -> Vec<OsString> {
        [vec!["--".into()], self.command.clone()].concat()
    }
}

/// Returns the case that writes all documents. `skills-ref`, `llms-txt` and the published schemas
/// must find nothing wrong, and `--check` no difference.
fn written(repo: &Repo, subject: &Subject) -> Case {
    let name = format!("documents, {}", subject.name);
    let directory = repo.out.join("documents").join(subject.name);
    let describe = |job: &str, words: Vec<OsString>| {
        let job = Job::command(repo, &format!("peer {name} {job}"), repo.overt()).arg("describe");
        job.args(subject.declared()).args(words).args(subject.target())
    };
    let out = |option: &str| vec![option.into(), directory.clone().into_os_string()];
    let write =
        describe("write", [vec!["--as".into(), "all".into(), "--force".into()], out("--out")].concat());
    let check = describe("check", out("--check"));
    let read = reader(repo, &format!("peer {name} read")).arg(&directory);
    let cards = subject.cards;
    Case::new(name, move || {
        // Documents of removed tools, from an earlier run, would count as differences.
        let _ = std::fs::remove_dir_all(&directory);
        write.succeed()?;
        let report = case::json(&read)?;
        no_errors(&report)?;
        case::demand_equal("the number of cards", &report["cards"].to_string(), &cards.to_string())?;
        check.succeed()?;
        let skill = report["skills"][0].as_str().unwrap_or_default();
        if skill.is_empty() || report["llms"]["title"].as_str().is_none_or(str::is_empty) {
            return Err(Failure::new(format!("a document is missing: {report}")));
        }
        Ok(format!("skill `{skill}`, llms.txt with {} links, {cards} cards", report["llms"]["links"]))
    })
}

/// Returns the case that reads the documents beside the endpoint of `overt run --manifest`.
fn served(repo: &Repo, subject: &Subject) -> Case {
    let name = format!("documents over http, {}", subject.name);
    let gateway = Job::command(repo, &format!("peer {name} run"), repo.overt());
    let gateway =
        gateway.args(PASSING).args(["--http", "127.0.0.1:0"]).args(subject.declared()).args(subject.target());
    let read = reader(repo, &format!("peer {name} read"));
    Case::new(name, move || {
        let gateway = example::announced(&gateway)?;
        let report = case::json(&read.clone().arg(&gateway.url))?;
        no_errors(&report)?;
        for member in ["twins", "catalog", "index"] {
            case::demand_equal(member, &report[member].to_string(), "true")?;
        }
        Ok("server card, catalogue, index of cards, llms.txt twice".to_owned())
    })
}

/// Returns the cases for clients. The tools that a model gets must be the same with and without the
/// manifest, and the help must be readable.
fn clients(repo: &Repo, subject: &Subject) -> Vec<Case> {
    let scripts = [
        ("TypeScript SDK", "legacy", repo.node(), "tools/peers/disclosed.mjs"),
        ("TypeScript SDK", "modern", repo.node(), "tools/peers/disclosed.mjs"),
        ("Python SDK", "legacy", repo.python(), "tools/peers/disclosed.py"),
        ("Python SDK", "modern", repo.python(), "tools/peers/disclosed.py"),
    ];
    let case = |(client, era, program, script): (&str, &str, PathBuf, &str)| {
        let name = format!("disclosed, {}, {client}, {era}", subject.name);
        let job = |which: &str, manifest: Vec<OsString>| {
            let job = Job::new(repo, &format!("peer {name} {which}"), &program);
            job.arg(repo.root.join(script))
                .args([era, which])
                .args(repo.overt())
                .args(PASSING)
                .args(manifest)
                .args(subject.target())
        };
        let (without, with) = (job("without", Vec::new()), job("with", subject.declared()));
        Case::new(name, move || {
            let (without, with) = (case::json(&without)?, case::json(&with)?);
            if without["tools"] != with["tools"] {
                let what = format!("not the same as without\n  {}\n  {}", without["tools"], with["tools"]);
                return Err(Failure::new(what));
            }
            let help = case::text(&with["help"]);
            if !help.starts_with("---\n") || !help.contains("## When to Use") {
                return Err(Failure::new(format!("`overt://ai-help` is not the help: {help}")));
            }
            let tools = with["tools"].as_array().map_or(0, Vec::len);
            Ok(format!("{tools} tools as without, help of {} bytes", help.len()))
        })
    };
    scripts.into_iter().map(case).collect()
}

fn reader(repo: &Repo, name: &str) -> Job {
    let schemas = repo.root.join("crates/documents/tests/data");
    Job::new(repo, name, repo.python()).arg(repo.root.join("tools/peers/documents.py")).arg(schemas)
}

fn no_errors(report: &Value) -> Result<(), Failure> {
    case::demand_equal("what the readers found", &report["errors"].to_string(), "[]")
}
