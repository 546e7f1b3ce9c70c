//! `read_file`: the lines of a text, or a picture, a sound, the bytes of anything else.
use std::sync::Arc;

use overt_layers::record::{Effect, Example, PiiExposure, SecretsExposure, ToolRecord};
use overt_toolbox::{Tool, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::super::FileServer;
use super::super::error::code;
use super::super::read::Start;
use super::super::work::Stop;
use super::given::{DEFAULT_LINES, Limits, Wanted, given};
use super::known::{READING, known};
use super::located::located;
use super::params::{Limit, PathText};

const DESCRIPTION: &str = "Reads a file. Use it when you know the path; use `search_files` to find text in many files. Gives the text of the \
    lines, exactly as it is in the file, and about it: how many lines there are, whether something is missing and where to go on. \
    Lines are counted from 1. Without further arguments the first 2,000 lines come; `start_line` and `limit` choose others, `tail` \
    the last ones. Pictures and sounds come as such, other files that are no text as bytes.";

/// Bytes of a file that may be read where others wait too.
const AT_ONCE: u64 = 64 << 10;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    path: PathText,
    /// The first line to give; the first line of a file is 1. Left out, 1.
    #[schemars(range(min = 1))]
    start_line: Option<u32>,
    limit: Option<Limit>,
    /// Give the last so many lines instead. Not together with `start_line` or `limit`.
    #[schemars(range(min = 1, max = 100_000))]
    tail: Option<u32>,
}

impl Input {
    fn wanted(&self) -> Result<Wanted, ToolError> {
        match (self.tail, self.start_line, self.limit) {
            (None, start_line, limit) => Ok(Wanted {
                start: Start::Line(u64::from(start_line.unwrap_or(1))),
                lines: limit.map_or(DEFAULT_LINES, Limit::get),
            }),
            (Some(tail), None, None) => {
                Ok(Wanted { start: Start::End, lines: usize::try_from(tail).unwrap_or(usize::MAX) })
            }
            _ => Err(ToolError::new("`tail` is there together with `start_line` or `limit`")
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
            let (view, limits, wanted) = (server.view(&context)?, Limits::of(&context)?, input.wanted()?);
            // Most files are small and in the system's memory: to hand them to another thread would take longer than to read them.
            if let Some((opened, bytes)) = view.file_at_once(&input.path, AT_ONCE) {
                let shown = view.shown(&opened.path);
                let (file, content) = given(&opened, &bytes, shown, wanted, limits, &Stop::default())?;
                return Ok(file.beside_text(content));
            }
            let (file, content) = server
                .workers
                .run(move |stop| {
                    let opened = view.file(&input.path)?;
                    let shown = view.shown(&opened.path);
                    Ok::<_, ToolError>(given(&opened, &opened.file, shown, wanted, limits, stop)?)
                })
                .await?;
            Ok(file.beside_text(content))
        }
    };
    let codes: Vec<&'static str> = READING
        .into_iter()
        .chain([code::NOT_A_FILE, code::LINE_OUT_OF_RANGE, code::TOO_LARGE, code::HARD_LINK])
        .collect();
    Tool::value_and_content("read_file", DESCRIPTION, run)
        .title("Read a file")
        .scope_arguments(located(server, &["path"]))
        .declare(ToolRecord {
            scopes: vec!["read:file:{path}".to_owned()],
            intent_template: Some(
                "Read {path}[ from line {start_line}][, {limit} lines][, the last {tail} lines]".to_owned(),
            ),
            idempotent: Some(true),
            category: Some("files".to_owned()),
            cli_equivalent: Some("cat {path}".to_owned()),
            pii_exposure: Some(PiiExposure::High),
            secrets_exposure: Some(SecretsExposure::ReadsSecretMaterial),
            refusal_modes: Some(vec![
                "the path is outside of every root".to_owned(),
                "what is in force hides the path".to_owned(),
            ]),
            examples: vec![Example {
                description: "Lines 10 to 19 of a file".to_owned(),
                input: json!({ "path": "src/main.rs", "start_line": 10, "limit": 10 }),
                output: None,
            }],
            errors: known(&codes),
            ..ToolRecord::new(Effect::Read)
        })
}
