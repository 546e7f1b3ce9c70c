//! The clients' calls: 200 calls of mixed kinds, in four parts.

use serde_json::{Value, json};

use super::home::{FILES, Home};

/// The number of calls in each part.
pub(super) const CALLS: usize = 50;

/// A call of a tool.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) server: &'static str,
    pub(super) tool: &'static str,
    pub(super) arguments: Value,
}

/// The number of the file that is deleted last.
pub(super) const LAST_DELETED: usize = 9;

impl Call {
    pub(super) fn new(server: &'static str, tool: &'static str, arguments: Value) -> Self {
        Self { server, tool, arguments }
    }

    pub(super) fn to_json(&self) -> Value {
        json!({ "server": self.server, "tool": self.tool, "arguments": self.arguments })
    }
}

/// Extends the graph of the memory, and writes documents.
pub(super) fn morning(home: &Home) -> Vec<Call> {
    let mut changes: Vec<Call> = (0..6).map(|number| entity(&format!("topic {number}"))).collect();
    for number in 0..4 {
        let (from, to) = (format!("topic {number}"), format!("topic {}", number + 1));
        let relation = json!({ "from": from, "to": to, "relationType": "precedes" });
        changes.push(memory("create_relations", json!({ "relations": [relation] })));
        changes.push(observation(&from, &format!("seen {number}")));
    }
    let document = |number: usize| home.path(&format!("docs/morning/{number}.md"));
    changes.push(docs("create_directory", json!({ "path": home.path("docs/morning") })));
    for number in 0..8 {
        changes.push(docs("write_file", json!({ "path": document(number), "content": "a draft\n" })));
    }
    for number in 0..4 {
        let edit = json!({ "oldText": "a draft", "newText": "a text" });
        changes.push(docs("edit_file", json!({ "path": document(number), "edits": [edit] })));
    }
    let (from, to) = (document(7), document(8));
    changes.push(docs("move_file", json!({ "source": from, "destination": to })));
    with_reads(home, changes)
}

/// Writes documents and commits them, one by one.
pub(super) fn noon(home: &Home) -> Vec<Call> {
    let mut changes = Vec::new();
    for number in 0..6 {
        let path = home.path(&format!("docs/{number}.md"));
        changes.push(docs("write_file", json!({ "path": path, "content": "the second version\n" })));
        changes.push(git(home, "git_add", &json!({ "files": [path] })));
        changes.push(git(home, "git_commit", &json!({ "message": format!("document {number}") })));
    }
    changes.push(git(home, "git_create_branch", &json!({ "branch_name": "later" })));
    with_reads(home, changes)
}

/// Writes and edits notes through `overt fs`, and deletes old ones.
pub(super) fn afternoon(home: &Home) -> Vec<Call> {
    let mut changes = Vec::new();
    for number in 0..8 {
        let path = home.path(&format!("notes/new {number}.md"));
        changes.push(notes("write_file", json!({ "path": path, "content": "one\ntwo\n" })));
        let edit = json!({ "find": "two", "replace": "zwei" });
        changes.push(notes("edit_file", json!({ "path": path, "edits": [edit] })));
        changes.push(notes("read_file", json!({ "path": path })));
    }
    changes.extend((0..5).map(|number| delete(home, number)));
    changes.extend((0..4).map(|number| rewrite(home, number)));
    with_reads(home, changes)
}

/// Repeats calls of all kinds. Most are allowed by earlier answers.
pub(super) fn late(home: &Home) -> Vec<Call> {
    let mut changes: Vec<Call> = (0..6).map(|number| entity(&format!("late topic {number}"))).collect();
    changes.extend((0..4).map(|number| observation(&format!("late topic {number}"), "seen late")));
    changes.extend((4..FILES).map(|number| rewrite(home, number)));
    changes.extend((5..=LAST_DELETED).map(|number| delete(home, number)));
    with_reads(home, changes)
}

/// Returns a call that deletes a note.
pub(super) fn delete(home: &Home, number: usize) -> Call {
    notes("delete_file", json!({ "path": home.path(&format!("notes/old/{number}.md")) }))
}

fn rewrite(home: &Home, number: usize) -> Call {
    let path = home.path(&format!("docs/{number}.md"));
    docs("write_file", json!({ "path": path, "content": "the third version\n" }))
}

/// Returns a call that adds a topic to the memory.
pub(super) fn entity(name: &str) -> Call {
    let entity = json!({ "name": name, "entityType": "topic", "observations": ["first seen"] });
    memory("create_entities", json!({ "entities": [entity] }))
}

fn observation(name: &str, text: &str) -> Call {
    let observation = json!({ "entityName": name, "contents": [text] });
    memory("add_observations", json!({ "observations": [observation] }))
}

fn memory(tool: &'static str, arguments: Value) -> Call {
    Call::new("memory", tool, arguments)
}

fn docs(tool: &'static str, arguments: Value) -> Call {
    Call::new("filesystem", tool, arguments)
}

fn notes(tool: &'static str, arguments: Value) -> Call {
    Call::new("notes", tool, arguments)
}

fn git(home: &Home, tool: &'static str, more: &Value) -> Call {
    let mut arguments = more.clone();
    arguments["repo_path"] = json!(home.site());
    Call::new("git", tool, arguments)
}

/// Returns the changes in their order, filled up with reads before and between them to the size of
/// a part.
fn with_reads(home: &Home, changes: Vec<Call>) -> Vec<Call> {
    let folder = home.path("docs");
    let reads = [
        docs("list_directory", json!({ "path": folder })),
        memory("read_graph", json!({})),
        git(home, "git_status", &json!({})),
        docs("read_text_file", json!({ "path": home.path("docs/9.md") })),
        memory("search_nodes", json!({ "query": "topic" })),
        git(home, "git_log", &json!({ "max_count": 3 })),
        docs("search_files", json!({ "path": folder, "pattern": "**/*.md" })),
        git(home, "git_branch", &json!({ "branch_type": "local" })),
        docs("get_file_info", json!({ "path": home.path("docs/9.md") })),
        git(home, "git_diff_unstaged", &json!({})),
    ];
    let mut reads = reads.iter().cycle().take(CALLS.saturating_sub(changes.len())).cloned();
    let mut calls = Vec::with_capacity(CALLS);
    for change in changes {
        calls.extend(reads.next());
        calls.push(change);
    }
    let rest: Vec<Call> = reads.collect();
    // Put the remaining reads first, so that the last change stays the last call.
    rest.into_iter().chain(calls).collect()
}
