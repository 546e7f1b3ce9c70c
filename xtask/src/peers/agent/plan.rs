//! The calls of each server, in two parts. Between them a person edits a file.

use std::path::Path;

use serde_json::{Value, json};

use super::project::{FILES, MOVED, SHARED, VALUED, VALUES, file, renames, value};

/// The server whose tools are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tools {
    Overt,
    Official,
    RustMcp,
}

/// The expected outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Done,
    /// Refused, because another program changed the file since it was read.
    Conflict,
}

#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) tool: &'static str,
    pub(super) arguments: Value,
    pub(super) outcome: Outcome,
}

/// The number of edits in one day, however many calls they take.
pub(super) const EDITS: usize = FILES * 2 + VALUED * VALUES;

const TIMEOUT: (&str, &str) = ("pub const RETRIES: u32 = 3;", "pub const RETRIES: u32 = 5;");

fn done(tool: &'static str, arguments: Value) -> Call {
    Call { tool, arguments, outcome: Outcome::Done }
}

impl Tools {
    /// Searches, reads and edits. The last call reads the file that a person edits next.
    pub(super) fn morning(self, root: &Path) -> Vec<Call> {
        match self {
            Self::Overt => overt_morning(),
            Self::Official => official_morning(root),
            Self::RustMcp => rust_mcp_morning(root),
        }
    }

    /// An edit that conflicts with the person's, the same edit again, undo, and a move. `etag`
    /// comes from the last call of the morning.
    pub(super) fn afternoon(self, root: &Path, etag: &str) -> Vec<Call> {
        match self {
            Self::Overt => overt_afternoon(etag),
            Self::Official | Self::RustMcp => afternoon_without_etags(root),
        }
    }
}

/// Some arguments are written as by models that know other tools. Each call must still succeed the
/// first time.
fn overt_morning() -> Vec<Call> {
    let mut calls = vec![
        done("search_files", json!({ "pattern": "retry_limit", "glob": "*.rs" })),
        done("find_files", json!({ "pattern": "src/**/*.rs", "max_results": "50" })),
        done("read_multiple_files", json!({ "paths": [file(0), file(1)] })),
        done("read_file", json!({ "file_path": file(2), "line_numbers": "true" })),
    ];
    let edits: Vec<Value> = (0..FILES)
        .flat_map(|number| {
            renames(number).map(|(old, new)| json!({ "path": file(number), "find": old, "replace": new }))
        })
        .collect();
    calls.push(done("edit_file", json!({ "edits": edits })));
    for number in 0..VALUED {
        let edits: Vec<Value> = values(number, "old_string", "new_string");
        calls.push(done("edit_file", json!({ "file_path": file(number), "edits": edits })));
    }
    calls.push(done("read_file", json!({ "path": SHARED })));
    calls
}

fn overt_afternoon(etag: &str) -> Vec<Call> {
    let edits = json!([{ "find": TIMEOUT.0, "replace": TIMEOUT.1 }]);
    let stale = json!({ "path": SHARED, "edits": edits, "if_etag": etag });
    vec![
        Call { outcome: Outcome::Conflict, ..done("edit_file", stale) },
        done("read_file", json!({ "path": SHARED })),
        done("edit_file", json!({ "path": SHARED, "edits": edits })),
        done("list_changes", json!({ "limit": 3 })),
        done("revert_change", json!({ "path": SHARED })),
        done("move_file", json!({ "source": MOVED.0, "destination": MOVED.1 })),
    ]
}

/// The official server can't search contents, so all candidate files are read.
fn official_morning(root: &Path) -> Vec<Call> {
    let all: Vec<String> = (0..FILES).map(|number| at(root, &file(number))).collect();
    let mut calls = vec![
        done("search_files", json!({ "path": at(root, ""), "pattern": "**/*.rs" })),
        done("read_multiple_files", json!({ "paths": all })),
    ];
    calls.extend(edits_by_file(root));
    calls.push(done("read_text_file", json!({ "path": at(root, SHARED) })));
    calls
}

/// rust-mcp-filesystem searches contents and numbers lines, so its calls are like ours, with an
/// edit call for each file.
fn rust_mcp_morning(root: &Path) -> Vec<Call> {
    let two = [at(root, &file(0)), at(root, &file(1))];
    let search = json!({ "path": at(root, ""), "pattern": "**/*.rs", "query": "retry_limit" });
    let mut calls = vec![
        done("search_files_content", search),
        done("search_files", json!({ "path": at(root, "src"), "pattern": "**/*.rs" })),
        done("read_multiple_text_files", json!({ "paths": two })),
        done("read_text_file", json!({ "path": at(root, &file(2)), "with_line_numbers": true })),
    ];
    calls.extend(edits_by_file(root));
    calls.push(done("read_text_file", json!({ "path": at(root, SHARED) })));
    calls
}

/// Returns the morning's edits for servers that edit one file per call.
fn edits_by_file(root: &Path) -> Vec<Call> {
    let edit = |number: usize, edits: Vec<Value>| {
        done("edit_file", json!({ "path": at(root, &file(number)), "edits": edits }))
    };
    let renamed = (0..FILES).map(|number| {
        let pairs = renames(number);
        edit(number, pairs.iter().map(|(old, new)| json!({ "oldText": old, "newText": new })).collect())
    });
    let valued = (0..VALUED).map(|number| edit(number, values(number, "oldText", "newText")));
    renamed.chain(valued).collect()
}

/// For servers without etags and undo: the file is read again before the edit, and the edit is
/// reverted by another edit.
fn afternoon_without_etags(root: &Path) -> Vec<Call> {
    let edit = |old: &str, new: &str| {
        done("edit_file", json!({ "path": at(root, SHARED), "edits": [{ "oldText": old, "newText": new }] }))
    };
    vec![
        done("read_text_file", json!({ "path": at(root, SHARED) })),
        edit(TIMEOUT.0, TIMEOUT.1),
        edit(TIMEOUT.1, TIMEOUT.0),
        done("move_file", json!({ "source": at(root, MOVED.0), "destination": at(root, MOVED.1) })),
    ]
}

/// Returns an absolute path, which the other servers need.
fn at(root: &Path, name: &str) -> String {
    root.join(name).display().to_string()
}

fn values(number: usize, old_name: &str, new_name: &str) -> Vec<Value> {
    let pairs = (0..VALUES).map(|at| value(number, at));
    pairs.map(|(old, new)| json!({ old_name: old, new_name: new })).collect()
}
