//! An open file as a result, for programs and for models. This module does not open files, so it
//! works wherever a file is open.
use std::fmt::Write as _;

use overt_toolbox::{Content, Context, ToolError, TypedOutcome};
use schemars::JsonSchema;
use serde::Serialize;

use super::super::access::OpenFile;
use super::super::error::{FileError, code};
use super::super::read::{
    Binary, Bytes, Cut, Encoding, Kind, LineEnding, Medium, Start, Text, Unreadable, Window, head_of,
    kind_of, read_binary, read_text,
};
use super::super::work::Stop;
use super::etag;

/// Lines that are returned by default.
pub(super) const DEFAULT_LINES: usize = 2_000;

/// Longest text, in bytes, that is sent twice: once for models and once for programs (G-05).
const MOST_TWICE: usize = 20_000;

/// Limits on what is returned, from the settings of the call.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadLimits {
    pub(super) bytes: usize,
    pub(super) line_bytes: usize,
    pub(super) media_bytes: usize,
}

/// A file, or a part of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct FileContent {
    pub(super) path: String,
    /// The exact text; absent for binary files, and where it is longer than 20,000 bytes and in the
    /// text of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<String>,
    /// The first line given, from 1; absent if lines were not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) start_line: Option<u64>,
    /// Lines given.
    pub(super) count: usize,
    /// Lines of the file; absent if it is too large to count them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) total_lines: Option<u64>,
    /// Something of the file is missing here.
    pub(super) truncated: bool,
    /// `limit`: more lines than asked for; `bytes`: more than one call gives; `line_bytes`: a line
    /// is too long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) truncated_reason: Option<Cut>,
    /// `start_line` of the next call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_start_line: Option<u64>,
    /// Absent for binary files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) encoding: Option<Encoding>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line_ending: Option<LineEnding>,
    /// By content.
    pub(super) mime_type: String,
    /// Bytes of the file.
    pub(super) size: u64,
    /// For `if_etag` of `write_file` and `edit_file`.
    pub(super) etag: String,
}

/// The requested part of a file, and its form.
#[derive(Debug, Clone, Copy)]
pub(super) struct ContentRange {
    pub(super) start: Start,
    pub(super) lines: usize,
    /// Whether the text that a model reads has line numbers.
    pub(super) line_numbers: bool,
    /// Whether to return the bytes of a file that is not text.
    pub(super) binary: bool,
}

impl FileContent {
    /// Returns the result, in which the text of the file is the first of the items for the model. A
    /// text longer than `MOST_TWICE` is then removed from the structured content.
    pub(super) fn into_outcome(
        mut self,
        wanted: ContentRange,
        mut items: Vec<Content>,
    ) -> Result<TypedOutcome<Self>, ToolError> {
        let is_long = self.content.as_ref().is_some_and(|content| content.len() > MOST_TWICE);
        let text = match &self.content {
            Some(_) if is_long => self.content.take(),
            Some(content) if self.is_numbered(wanted) => Some(content.clone()),
            _ => return Ok(TypedOutcome::of(&self)?.with_text_of("content", items)),
        };
        if let Some(text) = text {
            items.insert(0, Content::from(self.shown_text(text, wanted)));
        }
        Ok(TypedOutcome::of(&self)?.with_content(items))
    }

    /// Returns the text for a model, with line numbers if requested.
    pub(super) fn shown_text(&self, text: String, wanted: ContentRange) -> String {
        match self.start_line.filter(|_| wanted.line_numbers) {
            Some(first) => numbered(&text, first),
            None => text,
        }
    }

    fn is_numbered(&self, wanted: ContentRange) -> bool {
        wanted.line_numbers && self.start_line.is_some()
    }
}

impl ReadLimits {
    pub(super) fn of(context: &Context) -> Result<Self, ToolError> {
        let bytes =
            |key| Ok::<_, ToolError>(usize::try_from(context.setting::<u64>(key)?).unwrap_or(usize::MAX));
        Ok(Self {
            bytes: bytes("read_max_bytes")?,
            line_bytes: bytes("read_max_line_bytes")?,
            media_bytes: bytes("media_max_bytes")?,
        })
    }
}

/// Reads an open file. Returns the structured content, and further items for the model, beside the
/// text. `bytes` is the file itself, or what was already read of it. `shown` is the path for the
/// result.
pub(super) fn read_content(
    opened: &OpenFile,
    bytes: &dyn Bytes,
    shown: String,
    wanted: ContentRange,
    limits: ReadLimits,
    stop: &Stop,
) -> Result<(FileContent, Vec<Content>), FileError> {
    let size = opened.facts.size;
    let wrong = |why| unreadable(why, &shown, size, limits);
    let head = head_of(bytes, size).map_err(wrong)?;
    let encoding = match kind_of(&head, head.len() as u64 == size) {
        Kind::Binary(binary) => return media(opened, bytes, shown, binary, wanted, limits),
        Kind::Text(encoding) => encoding,
    };
    let window = Window {
        start: wanted.start,
        most_lines: wanted.lines,
        most_bytes: limits.bytes,
        most_line_bytes: limits.line_bytes,
    };
    let etag = etag::of_file(opened, bytes);
    let mut read = (read_text(bytes, size, encoding, &window, stop), encoding);
    // The file began like UTF-8, as every mostly ASCII text in windows-1252 does.
    if matches!(read.0, Err(Unreadable::NotText)) && encoding == Encoding::Utf8 {
        let again = read_text(bytes, size, Encoding::Windows1252, &window, stop);
        let is_text = |text: &Text| !text.content.chars().any(is_odd);
        read = (
            again.and_then(|text| if is_text(&text) { Ok(text) } else { Err(Unreadable::NotText) }),
            Encoding::Windows1252,
        );
    }
    match read {
        (Ok(text), encoding) => Ok(texts(text, encoding, shown, size, etag)),
        (Err(Unreadable::NotText), _) => media(opened, bytes, shown, Binary::UNKNOWN, wanted, limits),
        (Err(why), _) => Err(unreadable(why, &shown, size, limits)),
    }
}

/// Whether a character never occurs in text, although the encoding has it.
fn is_odd(letter: char) -> bool {
    letter.is_control() && !matches!(letter, '\t' | '\n' | '\r' | '\u{c}')
}

/// Adds line numbers, such as `  12| text`, in the form that the near misses of `edit_file` have.
fn numbered(text: &str, first: u64) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    for (line, number) in text.split_inclusive('\n').zip(first..) {
        let _ = write!(out, "{number:>6}| {line}");
    }
    out
}

fn texts(
    text: Text,
    encoding: Encoding,
    path: String,
    size: u64,
    etag: String,
) -> (FileContent, Vec<Content>) {
    let end = text.first.map(|first| first + text.count as u64);
    let next = end.filter(|_| text.has_more);
    let remarks = text.cut.map(|cut| Content::from(remark(&text, cut, next))).into_iter().collect();
    let content = FileContent {
        path,
        start_line: text.first,
        count: text.count,
        total_lines: text.total,
        etag,
        truncated: text.cut.is_some(),
        truncated_reason: text.cut,
        next_start_line: next,
        encoding: Some(encoding),
        line_ending: Some(text.line_ending),
        mime_type: "text/plain".to_owned(),
        size,
        content: Some(text.content),
    };
    (content, remarks)
}

/// Returns a note on what is missing, for a model that sees only the text.
fn remark(text: &Text, cut: Cut, next: Option<u64>) -> String {
    let total = text.total.map_or_else(String::new, |total| format!(" of {total}"));
    let what = match text.first {
        Some(first) => format!("lines {first} to {}{total}", (first + text.count as u64).saturating_sub(1)),
        None => format!("the last {} lines", text.count),
    };
    let long = if cut == Cut::LineBytes { "; long lines are cut" } else { "" };
    let more = next.map_or_else(String::new, |next| format!("; continue with `start_line` {next}"));
    format!("[This is {what}{long}{more}.]")
}

/// Describes a file that is not text, and returns its bytes if requested.
fn media(
    opened: &OpenFile,
    bytes: &dyn Bytes,
    shown: String,
    binary: Binary,
    wanted: ContentRange,
    limits: ReadLimits,
) -> Result<(FileContent, Vec<Content>), FileError> {
    let size = opened.facts.size;
    let mime_type = binary.mime_type;
    let mut items = Vec::new();
    if wanted.binary {
        let length = usize::try_from(size).ok().filter(|length| *length <= limits.media_bytes).ok_or_else(|| {
            FileError::new(
                code::TOO_LARGE,
                format!(
                    "`{shown}` is a binary file (`{mime_type}`) of {size} bytes; one call gives at most {}",
                    limits.media_bytes
                ),
                "Ask the user to raise `media_max_bytes` and call again, or leave `binary` out to see what the file is.",
            )
        })?;
        let bytes = read_binary(bytes, length).map_err(|why| unreadable(why, &shown, size, limits))?;
        items.push(Content::from(format!("[`{shown}` is a binary file: `{mime_type}`, {size} bytes.]")));
        items.push(match binary.medium {
            Medium::Image => Content::image(&bytes, mime_type),
            Medium::Audio => Content::audio(&bytes, mime_type),
            Medium::Other => Content::embedded_bytes(&uri(opened.path.as_str()), mime_type, &bytes),
        });
    } else {
        items.push(Content::from(format!(
            "[`{shown}` is a binary file: `{mime_type}`, {size} bytes. Set `binary` to true to get its bytes.]"
        )));
    }
    let content = FileContent {
        path: shown,
        content: None,
        start_line: None,
        count: 0,
        total_lines: None,
        truncated: !wanted.binary,
        truncated_reason: None,
        next_start_line: None,
        encoding: None,
        line_ending: None,
        mime_type: mime_type.to_owned(),
        size,
        etag: etag::of_file(opened, bytes),
    };
    Ok((content, items))
}

fn unreadable(why: Unreadable, shown: &str, size: u64, limits: ReadLimits) -> FileError {
    match why {
        Unreadable::PastEnd { lines } => FileError::new(
            code::LINE_OUT_OF_RANGE,
            format!("`{shown}` has {lines} lines, counted from 1"),
            "Use a smaller `start_line`, or `tail` to read the end.",
        ),
        Unreadable::TooFar { bytes } => FileError::new(
            code::LINE_OUT_OF_RANGE,
            format!(
                "`{shown}` has {size} bytes, and the line is not in the first {bytes}, in which lines are counted"
            ),
            "Use a smaller `start_line`, `tail` to read the end, or `search_files` to find a line by its text.",
        ),
        Unreadable::NotText => FileError::new(
            code::NOT_TEXT,
            format!(
                "`{shown}` is not text, and has {size} bytes; one call gives at most {}",
                limits.media_bytes
            ),
            "Use another program for it.",
        ),
        Unreadable::Stopped => FileError::new(
            code::CANCELLED,
            "the call was cancelled",
            "Call again if you still need the result.",
        ),
        Unreadable::System(error) => {
            let errno = rustix::io::Errno::from_io_error(&error).unwrap_or(rustix::io::Errno::IO);
            FileError::system(errno, shown)
        }
    }
}

/// Returns the URI of a path, such as `file:///a%20b`.
fn uri(path: &str) -> String {
    let mut uri = "file://".to_owned();
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
