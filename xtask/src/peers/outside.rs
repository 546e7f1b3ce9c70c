//! The flow of seed 002 with other people's clients: a call outside the roots of `overt fs` is
//! refused, asked about, and made again with the grant, for this request and for the session.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::case::{self, Case, MESSAGE};
use super::clients::{self, ERAS};
use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;

/// Calls of one session, and what becomes of them.
struct Flow {
    name: &'static str,
    options: &'static [&'static str],
    /// The person's answer.
    answer: &'static str,
    /// Whether the calls carry the scopes that the refusal asked for.
    has_scopes: bool,
    is_served: bool,
    questions: usize,
}

const FLOWS: [Flow; 4] = [
    Flow { name: "refused", options: &[], answer: "no", has_scopes: false, is_served: false, questions: 2 },
    Flow { name: "once", options: &[], answer: "once", has_scopes: false, is_served: true, questions: 2 },
    Flow {
        name: "session",
        options: &[],
        answer: "session",
        has_scopes: false,
        is_served: true,
        questions: 1,
    },
    Flow {
        name: "granted",
        options: &["--trust-grants"],
        answer: "no",
        has_scopes: true,
        is_served: true,
        questions: 0,
    },
];

pub(crate) fn cases(repo: &Repo) -> Vec<Case> {
    let mut cases = Vec::new();
    for (era, version) in ERAS {
        for (client, command) in clients::scripted(repo, "files", "calls") {
            let name = format!("outside the roots, {client}, {version}");
            let folder = repo.out.join("outside").join(name.replace([' ', ','], "-"));
            let file = folder.join("granted/note.txt");
            let jobs: Vec<Job> =
                FLOWS.iter().map(|flow| job(repo, (&name, flow), era, &command, &folder)).collect();
            cases.push(Case::new(name, move || {
                let _ = std::fs::remove_dir_all(&folder);
                for inner in ["served", "granted"] {
                    std::fs::create_dir_all(folder.join(inner)).map_err(Failure::file("create", &folder))?;
                }
                std::fs::write(&file, MESSAGE).map_err(Failure::file("write", &file))?;
                for (flow, job) in FLOWS.iter().zip(&jobs) {
                    check(flow, &case::json(job)?, version)
                        .map_err(|failure| Failure::new(format!("{}: {failure}", flow.name)))?;
                }
                Ok(format!("{} sessions", FLOWS.len()))
            }));
        }
    }
    cases
}

/// Returns the job that reads the same file outside the roots twice in one session.
fn job(repo: &Repo, (name, flow): (&str, &Flow), era: &str, command: &[PathBuf], folder: &Path) -> Job {
    let file = folder.join("granted/note.txt");
    let meta = match flow.has_scopes {
        true => json!({ "granted_scopes": [format!("read:file:{}", file.display())] }),
        false => json!({}),
    };
    let call = json!({ "name": "read_file", "arguments": { "path": file }, "meta": meta });
    let state = folder.join(format!("state-{}", flow.name));
    Job::command(
        repo,
        &format!("peer {name} {}", flow.name),
        command.iter().map(|word| word.clone().into_os_string()),
    )
    .args([era, flow.answer, &Value::from(vec![call.clone(), call]).to_string()])
    .args(repo.overt_in(&state))
    .arg("fs")
    .arg(folder.join("served"))
    .args(flow.options)
}

fn check(flow: &Flow, report: &Value, version: &str) -> Result<(), Failure> {
    case::demand_equal("the version", case::text(&report["version"]), version)?;
    let asked = case::entries(&report["asked"]).len();
    case::demand_equal("the number of questions", &asked.to_string(), &flow.questions.to_string())?;
    for call in case::entries(&report["calls"]) {
        case::demand_equal(
            "whether it failed",
            &call["isError"].to_string(),
            &(!flow.is_served).to_string(),
        )?;
        if flow.is_served {
            case::demand("text", &[case::text(&call["text"])], &[MESSAGE])?;
        }
    }
    Ok(())
}
