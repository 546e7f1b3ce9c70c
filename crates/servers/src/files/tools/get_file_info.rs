//! `get_file_info`: what stands at a path, without reading it.
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use overt_layers::record::{Effect, Example, PiiExposure, SecretsExposure, ToolRecord};
use overt_toolbox::{Tool, ToolError};
use overt_wire::stamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::super::FileServer;
use super::super::error::FileError;
use super::super::read::{Encoding, Kind as ContentKind, count_lines, head_of, kind_of};
use super::super::space::{Follow, Kind, View};
use super::super::work::Stop;
use super::known::{READING, known};
use super::located::located;
use super::params::PathText;

const DESCRIPTION: &str = "Tells what stands at a path: whether it is a file or a directory, its size, when it was changed, its permissions, and of \
    a file whether it is text, in which encoding and with how many lines. Use it before you read or change something large or \
    unknown. A symbolic link is followed; `real_path` says where it led.";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    path: PathText,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// The path, relative to the default root if it is in it.
    path: String,
    /// Where it really is, if links are on the way; otherwise the same.
    real_path: String,
    /// What it is; `other` is a pipe, a socket or a device.
    #[serde(rename = "type")]
    kind: EntryType,
    /// Bytes of a file; of anything else, what the system says.
    size: u64,
    /// When its content was last changed, in UTC.
    modified: String,
    /// Its permissions in octal digits, such as `0644`.
    mode: String,
    /// How many names it has; of a file with more than one, another may be anywhere.
    links: u64,
    /// Whether this server may change it, as far as what is in force goes.
    writable: bool,
    /// What kind of file it is, by its content; null if it is no file or can't be read.
    mime_type: Option<String>,
    /// How the text is written down; null if it is no text.
    encoding: Option<Encoding>,
    /// How many lines the text has; null if it is no text, or too large to count them.
    lines: Option<u64>,
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
        .scope_arguments(located(server, &["path"]))
        .declare(ToolRecord {
            scopes: vec!["read:file:{path}".to_owned()],
            intent_template: Some("Look at {path}".to_owned()),
            idempotent: Some(true),
            category: Some("files".to_owned()),
            cli_equivalent: Some("stat -L {path}".to_owned()),
            pii_exposure: Some(PiiExposure::Low),
            secrets_exposure: Some(SecretsExposure::None),
            refusal_modes: Some(vec![
                "the path is outside of every root".to_owned(),
                "what is in force hides the path".to_owned(),
            ]),
            examples: vec![Example {
                description: "A file".to_owned(),
                input: json!({ "path": "src/main.rs" }),
                output: None,
            }],
            errors: known(&READING),
            ..ToolRecord::new(Effect::Read)
        })
}

fn about(text: &str, view: &View, stop: &Stop) -> Result<Output, FileError> {
    let entry = view.entry(text, Follow::Yes)?;
    let facts = entry.facts;
    // Only a regular file is opened, and only what can be read is looked into.
    let inside = match facts.kind {
        Kind::File => view.file(text).ok().filter(|opened| opened.facts.is_same(&facts)),
        _ => None,
    };
    let content = inside.as_ref().and_then(|opened| {
        let head = head_of(&opened.file, opened.facts.size).ok()?;
        Some((opened, kind_of(&head, head.len() as u64 == opened.facts.size)))
    });
    let (mime_type, encoding, lines) = match content {
        None => (None, None, None),
        Some((_, ContentKind::Binary(binary))) => (Some(binary.mime_type), None, None),
        Some((opened, ContentKind::Text(encoding))) => {
            let lines = count_lines(&opened.file, opened.facts.size, encoding, stop).ok().flatten();
            (Some("text/plain"), Some(encoding), lines)
        }
    };
    stop.check()?;
    Ok(Output {
        path: view.shown(&view.whole(text)?),
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
        lines,
    })
}

/// `2026-07-28T09:05:00.250Z`.
fn moment(nanos: i128) -> String {
    let since = u64::try_from(nanos).map_or(Duration::ZERO, Duration::from_nanos);
    stamp::stamp(SystemTime::UNIX_EPOCH + since)
}
