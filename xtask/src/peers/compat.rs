//! Makes the same calls to the official filesystem server and to `overt fs --compat official`, on
//! two equal folders. The answers must be the same, as far as each step says.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::case::{self, Case};
use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;

/// Which parts of two answers must be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EqualParts {
    /// All of the answer.
    Wholly,
    /// Only `structuredContent.content`. Ours also shows the change.
    InContent,
    /// Only the hunks of the diff. Its head names the file differently.
    InHunks,
    /// All lines except the times, which ours writes differently.
    InFacts,
    /// Only that both refuse. The wording may differ.
    InRefusing,
}

struct Step {
    tool: &'static str,
    arguments: Value,
    equal: EqualParts,
}

/// The placeholder for the folder.
const ROOT: &str = "{root}";
/// A tool that only ours has, because it can undo changes.
const ONLY_OURS: &str = "revert_change";

pub(crate) fn cases(repo: &Repo) -> Vec<Case> {
    let repo = repo.clone();
    vec![Case::new("overt fs --compat official, beside the official server".to_owned(), move || {
        side_by_side(&repo)
    })]
}

fn side_by_side(repo: &Repo) -> Result<String, Failure> {
    let place = |name: &str| repo.out.join(format!("peer-compat-{name}"));
    let (theirs, ours, state) = (place("theirs"), place("ours"), place("state"));
    for folder in [&theirs, &ours, &state] {
        let _ = std::fs::remove_dir_all(folder);
    }
    fill(&theirs)?;
    fill(&ours)?;
    let official = repo.modules().join("@modelcontextprotocol/server-filesystem/dist/index.js");
    let official = vec![repo.node().into(), official.into(), theirs.clone().into()];
    // The official server asks nobody about what is outside of its folders.
    let words = ["--compat", "official", "--no-grants"].map(Into::into);
    let overt = [repo.overt_in(&state), vec!["fs".into(), ours.clone().into()], words.to_vec()].concat();
    let (theirs, ours) = (report(repo, &theirs, official)?, report(repo, &ours, overt)?);

    let tools: Vec<&str> = ours["tools"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for tool in theirs["tools"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        case::demand("tool", &tools, &[tool])?;
    }
    let more = tools.len() - theirs["tools"].as_array().map_or(0, Vec::len);
    if more != usize::from(tools.contains(&ONLY_OURS)) {
        return Err(Failure::new(format!(
            "there are tools that the official server does not have: {tools:?}"
        )));
    }
    let steps = steps();
    for (number, step) in steps.iter().enumerate() {
        step.check(&theirs["calls"][number], &ours["calls"][number])?;
    }
    Ok(format!("{} tools, {} calls", tools.len() - more, steps.len()))
}

fn fill(root: &Path) -> Result<(), Failure> {
    let deep = root.join("sub/deep");
    std::fs::create_dir_all(&deep).map_err(Failure::file("create", &deep))?;
    let files: [(&str, &[u8]); 5] = [
        ("a.txt", b"one\ntwo\nthree\nfour\n"),
        ("sub/b.txt", "x Grüße\n".as_bytes()),
        ("sub/deep/c.py", b"y = 1\n"),
        ("windows.txt", b"one\r\ntwo\r\n"),
        ("picture.png", b"\x89PNG\r\n\x1a\n0000"),
    ];
    for (name, content) in files {
        let path = root.join(name);
        std::fs::write(&path, content).map_err(Failure::file("write", &path))?;
    }
    Ok(())
}

/// Returns a server's answers to all steps, with the folder replaced by the placeholder.
fn report(repo: &Repo, root: &Path, server: Vec<OsString>) -> Result<Value, Failure> {
    let place = root.display().to_string();
    let calls: Vec<Value> =
        steps().iter().map(|step| json!({ "name": step.tool, "arguments": step.arguments })).collect();
    let calls = Value::from(calls).to_string().replace(ROOT, &place);
    let client: [PathBuf; 2] = [repo.node(), repo.root.join("tools/peers/files.mjs")];
    let job = Job::command(repo, "peer compat", client.into_iter().map(PathBuf::into_os_string))
        .args(["legacy", "once", &calls])
        .args(server);
    let told = case::json(&job)?.to_string().replace(&place, ROOT);
    serde_json::from_str(&told).map_err(|cause| Failure::new(format!("the answers are not JSON: {cause}")))
}

/// Returns steps for everything that the server's README says about each tool.
fn steps() -> Vec<Step> {
    use EqualParts::{InContent, InFacts, InHunks, InRefusing, Wholly};
    let path = |inner: &str| format!("{ROOT}/{inner}");
    let step = |equal, tool, arguments| Step { tool, arguments, equal };
    let edit = |old: &str, new: &str| json!({ "oldText": old, "newText": new });
    let read = |inner: &str| json!({ "path": path(inner) });
    vec![
        step(Wholly, "list_allowed_directories", json!({})),
        step(Wholly, "read_text_file", read("a.txt")),
        step(Wholly, "read_file", read("sub/b.txt")),
        step(Wholly, "read_text_file", read("windows.txt")),
        step(InRefusing, "read_text_file", read("missing.txt")),
        step(InRefusing, "read_text_file", json!({ "path": "/etc/passwd" })),
        step(InRefusing, "read_text_file", json!({ "path": path("../outside.txt") })),
        step(InRefusing, "read_text_file", json!({ "path": path("a.txt"), "head": 1, "tail": 1 })),
        step(Wholly, "read_media_file", read("picture.png")),
        step(Wholly, "read_multiple_files", json!({ "paths": [path("a.txt"), path("sub/b.txt")] })),
        step(Wholly, "list_directory", json!({ "path": ROOT })),
        step(Wholly, "list_directory_with_sizes", json!({ "path": ROOT })),
        step(Wholly, "list_directory_with_sizes", json!({ "path": ROOT, "sortBy": "size" })),
        step(Wholly, "directory_tree", json!({ "path": ROOT })),
        step(Wholly, "directory_tree", json!({ "path": ROOT, "excludePatterns": ["deep"] })),
        step(Wholly, "search_files", json!({ "path": ROOT, "pattern": "**/*.py" })),
        step(Wholly, "search_files", json!({ "path": ROOT, "pattern": "*.txt" })),
        step(
            Wholly,
            "search_files",
            json!({ "path": ROOT, "pattern": "**/*.txt", "excludePatterns": ["sub/**"] }),
        ),
        step(Wholly, "search_files", json!({ "path": ROOT, "pattern": "nothing*" })),
        step(InFacts, "get_file_info", read("a.txt")),
        step(InFacts, "get_file_info", read("sub")),
        step(InContent, "create_directory", read("n/e/w")),
        step(InContent, "create_directory", read("n/e/w")),
        step(InContent, "write_file", json!({ "path": path("n/new.txt"), "content": "hello\n" })),
        step(InContent, "write_file", json!({ "path": path("n/new.txt"), "content": "again\n" })),
        step(
            InHunks,
            "edit_file",
            json!({ "path": path("a.txt"), "edits": [edit("two", "2")], "dryRun": true }),
        ),
        step(Wholly, "read_text_file", read("a.txt")),
        step(
            InHunks,
            "edit_file",
            json!({ "path": path("a.txt"), "edits": [edit("two", "2"), edit("four", "4")] }),
        ),
        step(InRefusing, "edit_file", json!({ "path": path("a.txt"), "edits": [edit("absent", "2")] })),
        step(Wholly, "read_text_file", read("a.txt")),
        step(InContent, "move_file", json!({ "source": path("a.txt"), "destination": path("n/a.txt") })),
        step(InRefusing, "move_file", json!({ "source": path("n/a.txt"), "destination": path("n/new.txt") })),
        step(InRefusing, "move_file", json!({ "source": path("gone"), "destination": path("n/x") })),
        step(Wholly, "directory_tree", json!({ "path": ROOT })),
        step(Wholly, "read_text_file", read("n/a.txt")),
        step(Wholly, "read_text_file", read("n/new.txt")),
    ]
}

impl Step {
    fn check(&self, theirs: &Value, ours: &Value) -> Result<(), Failure> {
        let of = |told: &Value| match self.equal {
            EqualParts::Wholly => told.clone(),
            EqualParts::InContent => told["structured"]["content"].clone(),
            EqualParts::InHunks => {
                let text = case::text(&told["structured"]["content"]);
                text.find("@@").map(|start| &text[start..]).into()
            }
            EqualParts::InFacts => {
                let text = case::text(&told["structured"]["content"]);
                let is_time = |line: &&str| {
                    ["created:", "modified:", "accessed:"].iter().any(|name| line.starts_with(name))
                };
                text.lines().filter(|line| !is_time(line)).collect()
            }
            EqualParts::InRefusing => told["isError"].clone(),
        };
        let refuses = self.equal == EqualParts::InRefusing;
        if of(theirs) == of(ours) && [theirs, ours].iter().all(|told| told["isError"] == refuses) {
            return Ok(());
        }
        Err(Failure::new(format!(
            "`{}` with {} ({:?}):\n  theirs {theirs}\n  ours   {ours}",
            self.tool, self.arguments, self.equal
        )))
    }
}
