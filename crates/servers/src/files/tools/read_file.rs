//! `read_file`: the lines of a text, or the kind of a binary file, with its bytes on request.
use std::sync::Arc;

use overt_layers::record::{Example, PiiExposure, SecretsExposure, ToolRecord};
use overt_toolbox::{Tool, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::FileServer;
use super::super::error::code;
use super::super::read::Start;
use super::super::work::Stop;
use super::aliases::{self, ALIASES};
use super::file_content::{ContentRange, DEFAULT_LINES, ReadLimits, read_content};
use super::known_errors::described;
use super::params::{Limit, PathText};
use super::reading::reading;
use super::scope_arguments::scope_arguments;

const DESCRIPTION: &str = "Read a file: its first 2,000 lines, or `limit` lines from `start_line`, or the last ones with `tail`. Lines count \
    from 1. Binary files are only described, unless `binary` is set.";

/// Largest file, in bytes, that is read on the async thread.
const AT_ONCE: u64 = 64 << 10;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    path: PathText,
    #[schemars(range(min = 1))]
    start_line: Option<u64>,
    limit: Option<Limit>,
    /// Last lines to read instead.
    #[schemars(range(min = 1, max = 100_000))]
    tail: Option<u32>,
    /// Number the lines.
    #[serde(default)]
    line_numbers: bool,
    /// Return the bytes of a binary file.
    #[serde(default)]
    binary: bool,
}

impl Input {
    fn wanted(&self) -> Result<ContentRange, ToolError> {
        let wanted = |start, lines| ContentRange {
            start,
            lines,
            line_numbers: self.line_numbers,
            binary: self.binary,
        };
        match (self.tail, self.start_line, self.limit) {
            (None, start_line, limit) => Ok(wanted(
                Start::Line(start_line.unwrap_or(1)),
                limit.map_or(DEFAULT_LINES, Limit::get),
            )),
            (Some(tail), None, None) => Ok(wanted(Start::End, usize::try_from(tail).unwrap_or(usize::MAX))),
            _ => Err(ToolError::new("`tail` was given together with `start_line` or `limit`")
                .valid("`tail` alone gives the end of a file; `start_line` and `limit` give lines by their number.")
                .next("Leave one of them out.")
                .code("INVALID_ARGUMENTS")),
        }
    }
}

pub(super) fn tool(server: &Arc<FileServer>) -> Tool {
    let shared = Arc::clone(server);
    let run = move |input: Input, context| {
        let server = Arc::clone(&shared);
        async move {
            let (view, limits, wanted) = (server.view(&context)?, ReadLimits::of(&context)?, input.wanted()?);
            // Most files are small and in the system's cache. Handing them to another thread would
            // take longer than reading them.
            if let Some((opened, bytes)) = view.file_at_once(&input.path, AT_ONCE) {
                let shown = view.shown(&opened.path);
                let (file, content) = read_content(&opened, &bytes, shown, wanted, limits, &Stop::default())?;
                if file.encoding.is_some() {
                    server.recent.keep(&file.etag, bytes);
                }
                return file.into_outcome(wanted, content);
            }
            let (file, content) = server
                .workers
                .run(move |stop| {
                    let opened = view.file(&input.path)?;
                    let shown = view.shown(&opened.path);
                    Ok::<_, ToolError>(read_content(&opened, &opened.file, shown, wanted, limits, stop)?)
                })
                .await?;
            file.into_outcome(wanted, content)
        }
    };
    let own = [code::LINE_OUT_OF_RANGE, code::TOO_LARGE];
    Tool::with_outcome("read_file", DESCRIPTION, run)
        .title("Read a file")
        .scope_arguments(scope_arguments(server, &["path"]))
        .aliases(ALIASES)
        .rewrite(aliases::read_file)
        .declare(ToolRecord {
            scopes: vec!["read:file:{path}".to_owned()],
            intent_template: Some(
                "Read {path}[ from line {start_line}][, {limit} lines][, the last {tail} lines]".to_owned(),
            ),
            cli_equivalent: Some("overt call fs read_file path={path}".to_owned()),
            pii_exposure: Some(PiiExposure::High),
            secrets_exposure: Some(SecretsExposure::ReadsSecretMaterial),
            examples: vec![Example::from_json(
                "The third line of a file",
                r#"{ "path": "src/main.rs", "start_line": 3, "limit": 1 }"#,
                r#"{
                    "path": "src/main.rs",
                    "content": "fn main() {\n",
                    "start_line": 3,
                    "count": 1,
                    "total_lines": 5,
                    "truncated": true,
                    "truncated_reason": "limit",
                    "next_start_line": 4,
                    "encoding": "utf-8",
                    "line_ending": "lf",
                    "mime_type": "text/plain",
                    "size": 54,
                    "etag": "s-0000000000000000"
                }"#,
            )],
            errors: described(&own),
            ..reading()
        })
}
