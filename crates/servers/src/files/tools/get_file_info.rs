//! `get_file_info`: facts about the entry at a path, without its content.
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use overt_layers::record::{Example, PiiExposure, SecretsExposure, ToolRecord};
use overt_toolbox::{Tool, ToolError};
use overt_wire::rfc3339;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::FileServer;
use super::super::access::{Follow, Kind, View};
use super::super::error::FileError;
use super::super::read::{Encoding, Kind as ContentKind, count_lines, head_of, kind_of};
use super::super::work::Stop;
use super::aliases::ALIASES;
use super::params::PathText;
use super::reading::reading;
use super::scope_arguments::scope_arguments;

const DESCRIPTION: &str = "Describe what is at a path without reading it: type, size, time, permissions; for a text also encoding and number of lines.";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    path: PathText,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    path: String,
    /// Where links led.
    real_path: String,
    #[serde(rename = "type")]
    kind: EntryType,
    /// Bytes.
    size: u64,
    /// UTC.
    modified: String,
    /// Permissions, such as `0644`.
    mode: String,
    /// Hard links.
    links: u64,
    /// The policy lets this server change it.
    writable: bool,
    /// By content.
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<Encoding>,
    /// Of a text that is not too large to count them.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_lines: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum EntryType {
    File,
    Directory,
    Symlink,
    Other,
}

pub(super) fn tool(server: &Arc<FileServer>) -> Tool {
    let shared = Arc::clone(server);
    let run = move |input: Input, context| {
        let server = Arc::clone(&shared);
        async move {
            let view = server.view(&context)?;
            server.workers.run(move |stop| Ok::<_, ToolError>(about(&input.path, &view, stop)?)).await
        }
    };
    Tool::new("get_file_info", DESCRIPTION, run)
        .title("Look at a file or directory")
        .scope_arguments(scope_arguments(server, &["path"]))
        .aliases(ALIASES)
        .declare(ToolRecord {
            scopes: vec!["read:file:{path}".to_owned()],
            intent_template: Some("Look at {path}".to_owned()),
            cli_equivalent: Some("overt call fs get_file_info path={path}".to_owned()),
            pii_exposure: Some(PiiExposure::Low),
            secrets_exposure: Some(SecretsExposure::None),
            examples: vec![Example::from_json(
                "A file",
                r#"{ "path": "src/main.rs" }"#,
                r#"{
                    "path": "src/main.rs",
                    "real_path": "src/main.rs",
                    "type": "file",
                    "size": 54,
                    "modified": "2026-05-08T10:00:00.000Z",
                    "mode": "0644",
                    "links": 1,
                    "writable": true,
                    "mime_type": "text/plain",
                    "encoding": "utf-8",
                    "total_lines": 5
                }"#,
            )],
            ..reading()
        })
}

fn about(text: &str, view: &View, stop: &Stop) -> Result<Output, FileError> {
    let entry = view.entry(text, Follow::Yes)?;
    let facts = entry.facts;
    // Only a regular file is opened, and only if the call may read it.
    let inside = match facts.kind {
        Kind::File => view.file(text).ok().filter(|opened| opened.facts.is_same(&facts)),
        _ => None,
    };
    let content = inside.as_ref().and_then(|opened| {
        let head = head_of(&opened.file, opened.facts.size).ok()?;
        Some((opened, kind_of(&head, head.len() as u64 == opened.facts.size)))
    });
    let (mime_type, encoding, total_lines) = match content {
        None => (None, None, None),
        Some((_, ContentKind::Binary(binary))) => (Some(binary.mime_type), None, None),
        Some((opened, ContentKind::Text(encoding))) => {
            let lines = count_lines(&opened.file, opened.facts.size, encoding, stop).ok().flatten();
            (Some("text/plain"), Some(encoding), lines)
        }
    };
    stop.check()?;
    Ok(Output {
        path: view.shown(&view.absolute(text)?),
        real_path: view.shown(&entry.path),
        kind: match facts.kind {
            Kind::File => EntryType::File,
            Kind::Folder => EntryType::Directory,
            Kind::Link => EntryType::Symlink,
            Kind::Other(_) => EntryType::Other,
        },
        size: facts.size,
        modified: moment(facts.modified),
        mode: format!("{:04o}", facts.mode),
        links: facts.links,
        writable: view.may_change(&entry.path),
        mime_type: mime_type.map(str::to_owned),
        encoding,
        total_lines,
    })
}

/// Formats a time, such as `2026-07-28T09:05:00.250Z`.
fn moment(nanos: i128) -> String {
    let since = u64::try_from(nanos).map_or(Duration::ZERO, Duration::from_nanos);
    rfc3339::format_millis(SystemTime::UNIX_EPOCH + since)
}
