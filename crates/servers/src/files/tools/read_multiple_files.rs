//! `read_multiple_files`: several files in one call. An error in one of them is reported there, and
//! the others are still read.
use std::sync::Arc;

use overt_layers::record::{Example, PiiExposure, SecretsExposure, ToolRecord};
use overt_toolbox::{Content, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::FileServer;
use super::super::access::View;
use super::super::error::{FileError, code};
use super::super::read::Start;
use super::super::work::Stop;
use super::aliases::ALIASES;
use super::file_content::{ContentRange, DEFAULT_LINES, FileContent, ReadLimits, read_content};
use super::known_errors::described;
use super::params::PathText;
use super::reading::reading;
use super::scope_arguments::scope_arguments;

const DESCRIPTION: &str = "Read up to 50 text files in one call, up to 2,000 lines of each. Returns per path what `read_file` returns, or its error.";

const MOST_FILES: u32 = 50;
/// All files of one call may return this many times the text of one file.
pub(in super::super) const SHARE: usize = 4;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    #[schemars(length(min = 1, max = MOST_FILES))]
    paths: Vec<PathText>,
    /// Number the lines.
    #[serde(default)]
    line_numbers: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// One for each path, in the same order.
    files: Vec<Entry>,
    /// Files that were read.
    count: usize,
    /// Files that could not be read.
    failed: usize,
}

/// One file: what was read of it, or what is wrong.
#[derive(Debug, Serialize, JsonSchema)]
struct Entry {
    /// As it was asked for.
    path: String,
    /// As `read_file` returns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    file: Option<FileContent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Problem>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Problem {
    code: String,
    message: String,
}

pub(super) fn tool(server: &Arc<FileServer>) -> Tool {
    let shared = Arc::clone(server);
    let run = move |input: Input, context| {
        let server = Arc::clone(&shared);
        async move {
            let (view, limits) = (server.view(&context)?, ReadLimits::of(&context)?);
            server.workers.run(move |stop| all(&input, &view, limits, stop)).await
        }
    };
    let own = [code::TOO_LARGE, code::ANSWER_FULL];
    Tool::value_and_content("read_multiple_files", DESCRIPTION, run)
        .title("Read several files")
        .scope_arguments(scope_arguments(server, &["paths"]))
        .aliases(ALIASES)
        .declare(ToolRecord {
            scopes: vec!["read:file:{paths}".to_owned()],
            intent_template: Some("Read[ {paths}]".to_owned()),
            cli_equivalent: Some("overt call fs read_multiple_files paths={paths}".to_owned()),
            pii_exposure: Some(PiiExposure::High),
            secrets_exposure: Some(SecretsExposure::ReadsSecretMaterial),
            examples: vec![Example::from_json(
                "A file, and one that is not there",
                r#"{ "paths": ["draft.md", "missing.txt"] }"#,
                r##"{
                    "files": [
                        { "path": "draft.md", "file": {
                            "path": "draft.md",
                            "content": "# Draft\n",
                            "start_line": 1,
                            "count": 1,
                            "total_lines": 1,
                            "truncated": false,
                            "encoding": "utf-8",
                            "line_ending": "lf",
                            "mime_type": "text/plain",
                            "size": 8,
                            "etag": "s-0000000000000000"
                        } },
                        { "path": "missing.txt", "error": {
                            "code": "FILE_NOT_FOUND",
                            "message": "`missing.txt` does not exist. Find it with `find_files`, or see what is there with `list_directory`."
                        } }
                    ],
                    "count": 1,
                    "failed": 1
                }"##,
            )],
            errors: described(&own),
            ..reading()
        })
}

fn all(
    input: &Input,
    view: &View,
    limits: ReadLimits,
    stop: &Stop,
) -> Result<(Output, Vec<Content>), ToolError> {
    let mut room = Room(limits.bytes.saturating_mul(SHARE));
    let (mut files, mut contents) = (Vec::with_capacity(input.paths.len()), Vec::new());
    let wanted = ContentRange {
        start: Start::Line(1),
        lines: DEFAULT_LINES,
        line_numbers: input.line_numbers,
        binary: false,
    };
    for path in &input.paths {
        stop.check()?;
        match one(path, view, wanted, limits, room, stop) {
            Ok((file, content)) => {
                room.take(&file);
                contents.push(Content::from(format!("{}:", file.path)));
                contents
                    .extend(file.content.clone().map(|text| Content::from(file.shown_text(text, wanted))));
                contents.extend(content);
                files.push(Entry { path: path.0.clone(), file: Some(file), error: None });
            }
            Err(error) => {
                let message = format!("{}. {}", error.problem, error.next);
                contents.push(Content::from(format!("{}: {message} [{}]", path.0, error.code)));
                let error = Some(Problem { code: error.code.to_owned(), message });
                files.push(Entry { path: path.0.clone(), file: None, error });
            }
        }
    }
    let count = files.iter().filter(|entry| entry.file.is_some()).count();
    let failed = files.len() - count;
    // If no file could be read, the call fails (G-08).
    if count == 0 {
        let said: Vec<_> = contents.iter().filter_map(Content::as_text).collect();
        return Err(ToolError::new(format!(
            "None of the {failed} files could be read:\n{}\n",
            said.join("\n")
        ))
        .next("Correct the paths and call again.")
        .code(files.first().and_then(|entry| entry.error.as_ref()).map_or(code::IO, |error| &error.code)));
    }
    Ok((Output { files, count, failed }, contents))
}

/// The bytes of text that still fit into the answer.
#[derive(Debug, Clone, Copy)]
struct Room(usize);

impl Room {
    fn take(&mut self, file: &FileContent) {
        self.0 = self.0.saturating_sub(file.content.as_ref().map_or(0, String::len));
    }
}

fn one(
    path: &PathText,
    view: &View,
    wanted: ContentRange,
    limits: ReadLimits,
    room: Room,
    stop: &Stop,
) -> Result<(FileContent, Vec<Content>), FileError> {
    let full = || {
        FileError::new(
            code::ANSWER_FULL,
            format!("the files before `{}` took all the room of the answer", path.0),
            "Read it alone with `read_file`.",
        )
    };
    let opened = view.file(path)?;
    // Only reading shows whether a file is text. A text that has no room is dropped.
    let least = ReadLimits { bytes: limits.bytes.min(room.0.max(1)), ..limits };
    let shown = view.shown(&opened.path);
    match read_content(&opened, &opened.file, shown, wanted, least, stop) {
        Ok((file, _)) if room.0 == 0 && file.content.as_ref().is_some_and(|text| !text.is_empty()) => {
            Err(full())
        }
        other => other,
    }
}
