//! `edit_file`: exact replacements in text files. Edits of several files are one change: all of
//! them are made, or none.
use std::sync::Arc;

use overt_policy::record::{Effect, Example, SecretsExposure, ToolRecord};
use overt_settings::SettingValues;
use overt_toolbox::Tool;
use serde_json::Value;

use super::super::FileServer;
use super::super::error::code;
use super::aliases::{self, ALIASES};
use super::changing;
use super::edit_plan::plan;
use super::scope_arguments::scope_arguments;

const NAME: &str = "edit_file";

const DESCRIPTION: &str = "Replace exact texts in one or more text files, all or nothing. Each `find` must match exactly once, including \
     whitespace: add surrounding lines, or set `expected_count`. Returns the changed lines.";

pub(super) fn tool(server: &Arc<FileServer>) -> Tool {
    changing::tool(server, NAME, DESCRIPTION, plan)
        .title("Edit files")
        .scope_arguments(every_path(server))
        .aliases(ALIASES)
        .rewrite(aliases::edit_file)
        .declare(ToolRecord {
            overwrites: true,
            // An edit reveals whether a text is in the file, so it needs read access too.
            scopes: vec!["read:file:{path}".to_owned(), "write:file:{path}".to_owned()],
            intent_template: Some("Edit[ {path}][ {edits.path}]".to_owned()),
            secrets_exposure: Some(SecretsExposure::WritesSecretMaterial),
            cli_equivalent: Some("overt call fs edit_file path={path} edits={edits}".to_owned()),
            examples: vec![Example::from_json(
                "Change a version",
                r#"{ "path": "Cargo.toml", "edits": [{ "find": "version = \"1.0.0\"", "replace": "version = \"1.0.1\"" }] }"#,
                r#"{
                    "files": [{
                        "path": "Cargo.toml",
                        "match_count": 1,
                        "size": 42,
                        "etag": "s-0000000000000000",
                        "changed": [{ "start_line": 2, "text": "name = \"demo\"\nversion = \"1.0.1\"" }]
                    }],
                    "match_count": 1,
                    "change": "c-1794757265123-3fa9c1"
                }"#,
            )],
            ..changing::record(
                server,
                Effect::Mutating,
                &[code::NOT_TEXT, code::FIND_NOT_FOUND, code::FIND_NOT_UNIQUE],
            )
        })
}

/// Lets the scopes cover every file of the call.
fn every_path(
    server: &Arc<FileServer>,
) -> impl Fn(&Value, Option<&SettingValues>) -> Value + Send + Sync + 'static {
    let absolute = scope_arguments(server, &["path"]);
    move |arguments, settings| {
        let edits = arguments.get("edits").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let own = edits.iter().map(|edit| edit.get("path").filter(|path| !path.is_null()));
        let mut paths: Vec<Value> = Vec::new();
        for path in own.map(|own| own.or_else(|| arguments.get("path"))) {
            let path = path.cloned().unwrap_or(Value::Null);
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        let mut arguments = arguments.clone();
        match &paths[..] {
            [] => {}
            [only] => arguments["path"] = only.clone(),
            _ => arguments["path"] = paths.into(),
        }
        absolute(&arguments, settings)
    }
}
