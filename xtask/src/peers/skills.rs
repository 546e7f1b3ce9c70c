//! `overt skill check` compared with the reference validator, skills-ref 0.1.1: both must accept
//! the same of thousands of generated skills, and of the recorded corpus if it lies beside the
//! repository. Also, `overt skill install` takes a skill from FastMCP, and clients that know skills
//! read those of `overt skills`.

use std::time::Duration;

use serde_json::{Value, json};

use super::case::{self, Case};
use super::clients::ERAS;
use super::inspector;
use crate::conformance::skills::library;
use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;

/// The number of generated skills.
const COUNT: usize = 3_000;

pub(crate) fn cases(repo: &Repo) -> Vec<Case> {
    let directory = repo.out.join("skills");
    let corpora = repo.root.ancestors().map(|folder| folder.join("shared/data/skills-corpus"));
    let write = Job::new(repo, "peer skills write", repo.python())
        .arg(repo.root.join("tools/peers/skills.py"))
        .arg(&directory)
        .arg(COUNT.to_string())
        .args(corpora.into_iter().find(|corpus| corpus.is_dir()))
        .deadline(Duration::from_secs(300));
    let check = Job::command(repo, "peer skills check", repo.overt())
        .args(["skill", "check", "--profile", "skills-ref", "--format", "json"])
        .arg(&directory)
        .deadline(Duration::from_secs(60));
    let mut cases = vec![Case::new("skills, skills-ref".to_owned(), move || {
        let _ = std::fs::remove_dir_all(&directory);
        let said = read(&write.succeed()?.stdout())?;
        // Most of the skills are bad, so the exit code is 1.
        let ours = read(&check.finish()?.stdout())?;
        compare(&said, &ours)
    })];
    cases.push(installed(repo));
    cases.extend(ERAS.iter().map(|(era, version)| fastmcp(repo, era, version)));
    cases.extend(ERAS.iter().map(|(era, version)| inspector(repo, era, version)));
    cases
}

/// Returns the case in which the Inspector verifies digest, size and front matter of every skill.
fn inspector(repo: &Repo, era: &'static str, version: &'static str) -> Case {
    let (written, repo) = (library(repo), repo.clone());
    let name = format!("skills, Inspector, {version}");
    let job_name = name.clone();
    Case::new(name, move || {
        let library = written.as_ref().map_err(|failure| Failure::new(failure.to_string()))?;
        let mut words: Vec<String> =
            repo.overt().iter().map(|word| word.to_string_lossy().into_owned()).collect();
        words.extend(["skills".to_owned(), library.to_string_lossy().into_owned()]);
        let server = json!({ "command": words[0], "args": &words[1..] });
        let config = repo.out.join(format!("inspector-skills-{era}.json"));
        std::fs::write(&config, json!({ "mcpServers": { "skills": server } }).to_string())
            .map_err(Failure::file("write", &config))?;
        let job = inspector::job(&repo, &job_name, &config, "skills")
            .args(["--protocol-era", era, "--method", "skills/list", "--verify"])
            .deadline(Duration::from_secs(60));
        let said = job.succeed()?.stdout();
        let verdicts: Vec<Value> = said.lines().map(read).collect::<Result<_, _>>()?;
        let is_good = |verdict: &Value| verdict["ok"] == true && verdict["outcome"] == "verified";
        if verdicts.len() != 3 || !verdicts.iter().all(is_good) {
            return Err(Failure::new(format!("3 skills are there, and the Inspector says:\n{said}")));
        }
        Ok("3 skills verified".to_owned())
    })
}

/// Returns the case in which a FastMCP client lists, gets and downloads every skill of `overt
/// skills`. It must get the bytes on disk.
fn fastmcp(repo: &Repo, era: &'static str, version: &'static str) -> Case {
    let (written, repo) = (library(repo), repo.clone());
    let name = format!("skills, a FastMCP client, {version}");
    let job_name = format!("peer {name}");
    Case::new(name, move || {
        let library = written.as_ref().map_err(|failure| Failure::new(failure.to_string()))?;
        let client = Job::new(&repo, &job_name, repo.python())
            .arg(repo.root.join("tools/peers/skills_client.py"))
            .args([era])
            .arg(library)
            .args(repo.overt())
            .args(["skills"])
            .arg(library);
        let report = case::json(&client)?;
        case::demand_equal("the version", report["version"].as_str().unwrap_or_default(), version)?;
        let skills = report["skills"].as_array().map_or(0, Vec::len);
        let files = report["files"].as_u64().unwrap_or_default();
        if skills != 3 || files != 6 {
            return Err(Failure::new(format!("3 skills with 6 files are there, and it found {report}")));
        }
        Ok(format!("{skills} skills, {files} files with the same bytes"))
    })
}

/// Returns the case that installs a skill from a FastMCP server over stdio. Every file must have
/// the same bytes.
fn installed(repo: &Repo) -> Case {
    let root = repo.out.join("skills-fastmcp");
    let (served, taken) = (root.join("served"), root.join("taken"));
    let install = Job::command(repo, "peer skills fastmcp", repo.overt())
        .args(["skill", "install", "skill://pdf/SKILL.md"])
        .arg(&taken)
        .args(["--yes", "--format", "json", "--"])
        .arg(repo.python())
        .arg(repo.root.join("tools/peers/fastmcp_skills.py"))
        .arg(&served)
        .deadline(Duration::from_secs(60));
    Case::new("skills, a FastMCP server".to_owned(), move || {
        let _ = std::fs::remove_dir_all(&root);
        for (path, bytes) in FILES {
            let path = served.join("pdf").join(path);
            let folder = path.parent().unwrap_or(&served);
            std::fs::create_dir_all(folder).map_err(Failure::file("create", folder))?;
            std::fs::write(&path, bytes).map_err(Failure::file("write", &path))?;
        }
        let plan = read(&install.succeed()?.stdout())?;
        for (path, bytes) in FILES {
            let path = taken.join("pdf").join(path);
            if std::fs::read(&path).map_err(Failure::file("read", &path))? != *bytes {
                return Err(Failure::new(format!("`{}` has other bytes", path.display())));
            }
        }
        match plan["files"].as_array().map(Vec::len) {
            Some(count) if count == FILES.len() => Ok(format!("{count} files with the same bytes")),
            count => Err(Failure::new(format!("{count:?} files were installed"))),
        }
    })
}

const FILES: &[(&str, &[u8])] = &[
    ("SKILL.md", b"---\nname: pdf\ndescription: Reads PDF files. Use when asked for text.\n---\n\n# PDF\n"),
    ("references/more.md", b"More.\n"),
    ("logo.bin", b"\xff\x00\xfe"),
];

fn read(text: &str) -> Result<Value, Failure> {
    serde_json::from_str(text.trim()).map_err(|cause| Failure::new(format!("not JSON: {cause}")))
}

/// Compares the verdict for every skill. An exception of the reference is a refusal.
fn compare(said: &Value, ours: &Value) -> Result<String, Failure> {
    let (mut accepted, mut refused) = (0, 0);
    let skills = ours["skills"].as_array().map_or(&[][..], Vec::as_slice);
    for skill in skills {
        let path = skill["path"].as_str().unwrap_or_default();
        let is_accepted = skill["profiles"]["skills-ref"] == "pass";
        let same = match &said[path] {
            Value::Array(messages) => messages.is_empty() == is_accepted,
            Value::String(_) => !is_accepted,
            _ => false,
        };
        if !same {
            let what = format!("`{path}`: skills-ref says {}, and we say {skill}", said[path]);
            return Err(Failure::new(what));
        }
        *if is_accepted { &mut accepted } else { &mut refused } += 1;
    }
    let all = said.as_object().map_or(0, serde_json::Map::len);
    if accepted + refused != all || all < COUNT || accepted < COUNT / 5 {
        return Err(Failure::new(format!(
            "{all} skills were written, {accepted} accepted, {refused} refused"
        )));
    }
    Ok(format!("{accepted} skills accepted by both, {refused} refused by both"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_verdict_is_a_failure() {
        let skills = |verdict: &str| {
            let skill =
                |number| json!({ "path": format!("{number}"), "profiles": { "skills-ref": verdict } });
            json!({ "skills": (0..COUNT).map(skill).collect::<Vec<_>>() })
        };
        let said = |last: Value| {
            let mut said: serde_json::Map<String, Value> =
                (0..COUNT).map(|number| (number.to_string(), json!([]))).collect();
            said.insert("0".to_owned(), last);
            Value::Object(said)
        };
        assert!(compare(&said(json!([])), &skills("pass")).is_ok());
        for other in [json!(["y"]), json!("TypeError"), json!(null)] {
            assert!(compare(&said(other.clone()), &skills("pass")).is_err(), "{other}");
        }
        assert!(compare(&said(json!([])), &skills("fail")).is_err());
        assert!(compare(&json!({}), &json!({ "skills": [] })).is_err());
    }
}
