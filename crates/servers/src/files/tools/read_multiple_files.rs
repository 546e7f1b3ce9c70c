//! `read_multiple_files`: several files in one call. What is wrong with one of them is said there, and the others come all the same.
use std::sync::Arc;

use overt_layers::record::{Effect, Example, PiiExposure, SecretsExposure, ToolRecord};
use overt_toolbox::{Content, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::super::FileServer;
use super::super::error::{FileError, code};
use super::super::read::Start;
use super::super::space::View;
use super::super::work::Stop;
use super::given::{DEFAULT_LINES, Given, Limits, Wanted, given};
use super::known::{READING, known};
use super::located::located;
use super::params::PathText;

const DESCRIPTION: &str = "Reads several files in one call, each from its first line up to 2,000 lines. Use it when you need some files whole; \
    use `read_file` for a part of one. Gives an entry for each path, in the order of the paths: what `read_file` gives, or what is \
    wrong with that path. At most 50 paths; all together give four times as much text as one `read_file`, and as much else as one.";

const MOST_FILES: u32 = 50;
/// All files together give so many times the text that one gives.
pub(in super::super) const SHARE: usize = 4;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The files to read, each as the `path` of `read_file`.
    #[schemars(length(min = 1, max = MOST_FILES))]
    paths: Vec<PathText>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// One for each path, in the same order.
    files: Vec<Entry>,
    /// How many of them could be read.
    count: usize,
    /// How many of them could not.
    failed: usize,
}

/// One file: what was read of it, or what is wrong.
#[derive(Debug, Serialize, JsonSchema)]
struct Entry {
    /// The path as it was asked for.
    path: String,
    /// What was read; null if nothing could be.
    file: Option<Given>,
    /// What is wrong; null if nothing is.
    error: Option<Problem>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Problem {
    /// The word for programs, such as `FILE_NOT_FOUND`.
    code: String,
    /// What is wrong, and what to do.
    message: String,
}

pub(super) fn tool(server: &Arc<FileServer>) -> Tool {
    let shared = Arc::clone(server);
    let run = move |input: Input, context| {
        let server = Arc::clone(&shared);
        async move {
            let (view, limits) = (server.view(&context)?, Limits::of(&context)?);
            server.workers.run(move |stop| all(&input.paths, &view, limits, stop)).await
        }
    };
    let codes: Vec<&'static str> = READING
        .into_iter()
        .chain([code::NOT_A_FILE, code::TOO_LARGE, code::HARD_LINK, code::ANSWER_FULL])
        .collect();
    Tool::value_and_content("read_multiple_files", DESCRIPTION, run)
        .title("Read several files")
        .scope_arguments(located(server, &["paths"]))
        .declare(ToolRecord {
            scopes: vec!["read:file:{paths}".to_owned()],
            intent_template: Some("Read[ {paths}]".to_owned()),
            idempotent: Some(true),
            category: Some("files".to_owned()),
            pii_exposure: Some(PiiExposure::High),
            secrets_exposure: Some(SecretsExposure::ReadsSecretMaterial),
            refusal_modes: Some(vec![
                "a path is outside of every root".to_owned(),
                "what is in force hides a path".to_owned(),
            ]),
            examples: vec![Example {
                description: "Two files".to_owned(),
                input: json!({ "paths": ["Cargo.toml", "src/main.rs"] }),
                output: None,
            }],
            errors: known(&codes),
            ..ToolRecord::new(Effect::Read)
        })
}

fn all(
    paths: &[PathText],
    view: &View,
    limits: Limits,
    stop: &Stop,
) -> Result<(Output, Vec<Content>), ToolError> {
    let mut room = Room { text: limits.bytes.saturating_mul(SHARE), media: limits.media_bytes };
    let (mut files, mut contents) = (Vec::with_capacity(paths.len()), Vec::new());
    for path in paths {
        stop.check()?;
        match one(path, view, limits, room, stop) {
            Ok((file, content)) => {
                room.take(&file);
                contents.push(Content::from(format!("{}:", file.path)));
                contents.extend(file.content.as_deref().map(Content::text));
                contents.extend(content);
                files.push(Entry { path: path.0.clone(), file: Some(file), error: None });
            }
            Err(error) => {
                let message = format!("{}. {}", error.problem, error.next);
                contents.push(Content::from(format!("{}: {message}", path.0)));
                let error = Some(Problem { code: error.code.to_owned(), message });
                files.push(Entry { path: path.0.clone(), file: None, error });
            }
        }
    }
    let count = files.iter().filter(|entry| entry.file.is_some()).count();
    let failed = files.len() - count;
    Ok((Output { files, count, failed }, contents))
}

/// What is left of the answer.
#[derive(Debug, Clone, Copy)]
struct Room {
    /// Bytes of texts.
    text: usize,
    /// Bytes of everything else.
    media: usize,
}

impl Room {
    fn take(&mut self, file: &Given) {
        match &file.content {
            Some(content) => self.text = self.text.saturating_sub(content.len()),
            None => {
                self.media = self.media.saturating_sub(usize::try_from(file.size).unwrap_or(usize::MAX));
            }
        }
    }
}

fn one(
    path: &PathText,
    view: &View,
    limits: Limits,
    room: Room,
    stop: &Stop,
) -> Result<(Given, Vec<Content>), FileError> {
    let full = || {
        FileError::new(
            code::ANSWER_FULL,
            format!("the files before `{}` have filled the answer", path.0),
            "Read it in a call of its own.",
        )
    };
    let opened = view.file(path)?;
    let wanted = Wanted { start: Start::Line(1), lines: DEFAULT_LINES };
    // Whether it is a text is known only once it is read; of a text that has no room nothing is kept.
    let least = Limits {
        bytes: limits.bytes.min(room.text.max(1)),
        media_bytes: limits.media_bytes.min(room.media),
        ..limits
    };
    let shown = view.shown(&opened.path);
    match given(&opened, &opened.file, shown, wanted, least, stop) {
        Ok((file, _)) if room.text == 0 && file.content.as_ref().is_some_and(|text| !text.is_empty()) => {
            Err(full())
        }
        Err(error)
            if error.code == code::TOO_LARGE
                && usize::try_from(opened.facts.size).is_ok_and(|size| size <= limits.media_bytes) =>
        {
            Err(full())
        }
        other => other,
    }
}
