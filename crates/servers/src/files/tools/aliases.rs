//! Names and forms that models write instead of our parameters (I-15). The schemas list only the
//! canonical names.
use serde_json::{Map, Value, json};

/// Alias and canonical name. A name that a tool itself has is never an alias there.
pub(super) const ALIASES: &[(&str, &str)] = &[
    ("file_path", "path"),
    ("filepath", "path"),
    ("filePath", "path"),
    ("filename", "path"),
    ("file", "path"),
    ("root", "path"),
    ("directory", "path"),
    ("dir", "path"),
    ("folder", "path"),
    ("dir_path", "path"),
    ("files", "paths"),
    ("file_paths", "paths"),
    ("filePaths", "paths"),
    ("path", "paths"),
    ("source", "from"),
    ("src", "from"),
    ("source_path", "from"),
    ("old_path", "from"),
    ("destination", "to"),
    ("dest", "to"),
    ("dst", "to"),
    ("target", "to"),
    ("destination_path", "to"),
    ("new_path", "to"),
    ("contents", "content"),
    ("text", "content"),
    ("file_text", "content"),
    ("data", "content"),
    ("old_text", "find"),
    ("oldText", "find"),
    ("old_string", "find"),
    ("old_str", "find"),
    ("oldString", "find"),
    ("search", "find"),
    ("new_text", "replace"),
    ("newText", "replace"),
    ("new_string", "replace"),
    ("new_str", "replace"),
    ("newString", "replace"),
    ("replacement", "replace"),
    ("replacements", "edits"),
    ("changes", "edits"),
    ("count", "expected_count"),
    ("query", "pattern"),
    ("regex", "pattern"),
    ("name", "pattern"),
    ("glob", "include"),
    ("globs", "include"),
    ("file_pattern", "include"),
    ("ignore", "exclude"),
    ("excludes", "exclude"),
    ("exclude_patterns", "exclude"),
    ("excludePatterns", "exclude"),
    ("depth", "max_depth"),
    ("maxDepth", "max_depth"),
    ("max_results", "limit"),
    ("maxResults", "limit"),
    ("head_limit", "limit"),
    ("max_lines", "limit"),
    ("num_lines", "limit"),
    ("line_count", "limit"),
    ("lines", "limit"),
    ("head", "limit"),
    ("offset", "start_line"),
    ("from_line", "start_line"),
    ("line", "start_line"),
    ("start", "start_line"),
    ("show_line_numbers", "line_numbers"),
    ("numbered", "line_numbers"),
    ("include_hidden", "hidden"),
    ("show_hidden", "hidden"),
    ("includeHidden", "hidden"),
    ("include_ignored", "no_ignore"),
    ("follow_links", "follow"),
    ("follow_symlinks", "follow"),
    ("context_lines", "context"),
    ("-C", "context"),
    ("-A", "after_context"),
    ("-B", "before_context"),
    ("output_mode", "output"),
    ("fixed_strings", "literal"),
    ("with_sizes", "sizes"),
    ("sort_by", "sort"),
    ("sortBy", "sort"),
    ("etag", "if_etag"),
    ("if_match", "if_etag"),
    ("parents", "create_parents"),
    ("create_directories", "create_parents"),
    ("change_id", "change"),
    ("id", "change"),
];

/// `glob` is the pattern of `find_files`, or a flag that says the pattern is a glob. Some models
/// also shorten the words for `type`.
pub(super) fn find_files(members: &mut Map<String, Value>) {
    match members.remove("glob").or_else(|| members.remove("globs")) {
        Some(Value::Bool(true)) => {
            members.entry("syntax").or_insert_with(|| "glob".into());
        }
        Some(Value::Bool(false)) => {
            members.entry("syntax").or_insert_with(|| "regex".into());
        }
        Some(Value::String(glob)) if !members.contains_key("pattern") => as_glob(members, glob),
        Some(Value::Array(globs)) if !members.contains_key("pattern") => {
            let globs: Vec<&str> = globs.iter().filter_map(Value::as_str).collect();
            let pattern =
                if let [only] = globs[..] { only.to_owned() } else { format!("{{{}}}", globs.join(",")) };
            as_glob(members, pattern);
        }
        Some(other) => {
            members.insert("glob".to_owned(), other);
        }
        None => {}
    }
    let word = members.get("type").and_then(Value::as_str).map(str::to_ascii_lowercase);
    let canonical = match word.as_deref() {
        Some("f" | "files") => "file",
        Some("d" | "dir" | "dirs" | "folder" | "directories") => "directory",
        Some("l" | "link") => "symlink",
        _ => return,
    };
    members.insert("type".to_owned(), canonical.into());
}

fn as_glob(members: &mut Map<String, Value>, glob: String) {
    members.insert("pattern".to_owned(), glob.into());
    members.insert("syntax".to_owned(), "glob".into());
}

/// Flags of grep, and other tools' words for `output`.
pub(super) fn search_files(members: &mut Map<String, Value>) {
    for name in ["-i", "ignore_case", "case_insensitive", "ignoreCase"] {
        if let Some(flag) = members.remove(name) {
            let word = if flag == true || flag == "true" { "false" } else { "auto" };
            members.entry("case_sensitive").or_insert_with(|| word.into());
        }
    }
    // Line numbers are always returned.
    members.remove("-n");
    let canonical = match members.get("output").and_then(Value::as_str) {
        Some("files_with_matches" | "files_only") => "files",
        Some("lines") => "content",
        _ => return,
    };
    members.insert("output".to_owned(), canonical.into());
}

/// A range of lines given by its two ends.
pub(super) fn read_file(members: &mut Map<String, Value>) {
    let range = members.remove("view_range").or_else(|| members.remove("range"));
    if let Some([start, end]) = range.as_ref().and_then(Value::as_array).map(Vec::as_slice) {
        members.insert("start_line".to_owned(), start.clone());
        members.insert("end_line".to_owned(), end.clone());
    }
    let number = |value: &Value| value.as_i64().or_else(|| value.as_str()?.trim().parse().ok());
    let start = members.get("start_line").map_or(Some(1), number);
    let end = members.get("end_line").map(number);
    match (start, end) {
        (Some(start), Some(Some(end))) if end >= start && !members.contains_key("limit") => {
            members.remove("end_line");
            members.insert("limit".to_owned(), json!(end - start + 1));
        }
        // The end of the file.
        (_, Some(Some(-1))) => {
            members.remove("end_line");
        }
        _ => {}
    }
}

/// A flag for listing everything beneath.
pub(super) fn list_directory(members: &mut Map<String, Value>) {
    match members.get("recursive") {
        Some(Value::Bool(true)) => {
            members.entry("max_depth").or_insert_with(|| ALL_LEVELS.into());
        }
        Some(Value::Bool(false)) => {}
        _ => return,
    }
    members.remove("recursive");
}

/// The deepest level that a path can have.
const ALL_LEVELS: u32 = 2048;

/// Other tools' flags for `mode`.
pub(super) fn write_file(members: &mut Map<String, Value>) {
    for (flag, mode) in [("append", Some("append")), ("overwrite", None), ("create_only", Some("create"))] {
        let Some(Value::Bool(is_set)) = members.get(flag).cloned() else { continue };
        // `overwrite: false` asks that nothing is lost.
        let mode = if flag == "overwrite" && !is_set { Some("create") } else { mode.filter(|_| is_set) };
        members.remove(flag);
        if let Some(mode) = mode {
            members.entry("mode").or_insert_with(|| mode.into());
        }
    }
}

/// A single replacement without a list around it.
pub(super) fn edit_file(members: &mut Map<String, Value>) {
    const OF_AN_EDIT: [&str; 3] = ["find", "replace", "expected_count"];
    if !members.contains_key("edits") {
        let names = ALIASES.iter().filter(|(_, name)| OF_AN_EDIT.contains(name)).copied();
        let own = OF_AN_EDIT.iter().chain(&REPLACE_ALL).map(|name| (*name, *name));
        let mut edit = Map::new();
        for (alias, name) in own.chain(names) {
            if !edit.contains_key(name)
                && let Some(value) = members.remove(alias)
            {
                edit.insert(name.to_owned(), value);
            }
        }
        if !edit.is_empty() {
            members.insert("edits".to_owned(), json!([edit]));
        }
    }
    // A list that was written as a string.
    let list = members.get("edits").and_then(Value::as_str).and_then(|text| serde_json::from_str(text).ok());
    if let Some(list @ Value::Array(_)) = list {
        members.insert("edits".to_owned(), list);
    }
    // A flag beside the list applies to every edit.
    let common = REPLACE_ALL.iter().find_map(|name| members.remove(*name));
    for edit in members.get_mut("edits").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Value::Object(edit) = edit {
            let own = REPLACE_ALL.iter().find_map(|name| edit.remove(*name));
            if let Some(flag) = own.or_else(|| common.clone()) {
                replace_all(edit, flag);
            }
        }
    }
}

/// Names of the flag that replaces all matches, however many there are.
const REPLACE_ALL: [&str; 2] = ["replace_all", "replaceAll"];

/// Expresses the flag as an `expected_count`. A count that is already given takes precedence.
fn replace_all(edit: &mut Map<String, Value>, flag: Value) {
    let text = flag.as_str().map(|text| text.trim().to_ascii_lowercase());
    match (flag.as_bool(), text.as_deref()) {
        (Some(true), _) | (_, Some("true")) => {
            edit.entry("expected_count").or_insert_with(|| 0.into());
        }
        (Some(false), _) | (_, Some("false")) => {}
        // The value is not clear. It stays, and the check of the arguments reports it.
        _ => {
            edit.insert(REPLACE_ALL[0].to_owned(), flag);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(rewrite: fn(&mut Map<String, Value>), given: Value) -> Value {
        let Value::Object(mut members) = given else { panic!("no object") };
        rewrite(&mut members);
        Value::Object(members)
    }

    #[test]
    fn i_15_forms_of_other_tools_are_ours() {
        for (given, wanted) in [
            (json!({ "pattern": "*.rs", "glob": true }), json!({ "pattern": "*.rs", "syntax": "glob" })),
            (json!({ "glob": "*.rs" }), json!({ "pattern": "*.rs", "syntax": "glob" })),
            (json!({ "glob": ["*.rs", "*.md"] }), json!({ "pattern": "{*.rs,*.md}", "syntax": "glob" })),
            (json!({ "type": "f" }), json!({ "type": "file" })),
        ] {
            assert_eq!(rewritten(find_files, given), wanted);
        }
        assert_eq!(
            rewritten(read_file, json!({ "view_range": [3, 7] })),
            json!({ "start_line": 3, "limit": 5 })
        );
        assert_eq!(rewritten(read_file, json!({ "end_line": "4" })), json!({ "limit": 4 }));
        assert_eq!(rewritten(read_file, json!({ "view_range": [3, -1] })), json!({ "start_line": 3 }));
        let edit = json!({ "path": "a", "old_string": "x", "new_string": "y", "replace_all": false });
        let wanted = json!({ "path": "a", "edits": [{ "find": "x", "replace": "y" }] });
        assert_eq!(rewritten(edit_file, edit), wanted);
        let all = json!({ "path": "a", "edits": [{ "find": "x", "replace": "y", "expected_count": 0 }] });
        for given in [
            json!({ "path": "a", "old_string": "x", "new_string": "y", "replace_all": true }),
            json!({ "path": "a", "edits": [{ "find": "x", "replace": "y", "replaceAll": "true" }] }),
            json!({ "path": "a", "edits": [{ "find": "x", "replace": "y" }], "replaceAll": true }),
        ] {
            assert_eq!(rewritten(edit_file, given), all);
        }
        // A number takes precedence over a flag. A flag that is neither true nor false is left to
        // the check of the arguments.
        for edit in
            [json!({ "find": "x", "expected_count": 3 }), json!({ "find": "x", "replace_all": "perhaps" })]
        {
            let mut given = edit.clone();
            given.as_object_mut().unwrap().entry("replace_all").or_insert(true.into());
            assert_eq!(rewritten(edit_file, json!({ "edits": [given] })), json!({ "edits": [edit] }));
        }
        assert_eq!(rewritten(write_file, json!({ "append": true })), json!({ "mode": "append" }));
        assert_eq!(rewritten(write_file, json!({ "overwrite": false })), json!({ "mode": "create" }));
        assert_eq!(
            rewritten(search_files, json!({ "-i": true, "-n": true })),
            json!({ "case_sensitive": "false" })
        );
        assert_eq!(rewritten(list_directory, json!({ "recursive": true })), json!({ "max_depth": 2048 }));
    }
}
