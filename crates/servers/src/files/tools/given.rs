//! An open file as a result: what programs read of it, and what a model gets. Apart from whoever opened it, so that it can run
//! wherever a file is open.
use overt_toolbox::{Content, Context, ToolError};
use schemars::JsonSchema;
use serde::Serialize;

use super::super::error::{FileError, code};
use super::super::read::{
    Binary, Bytes, Cut, Encoding, Kind, LineEnding, Medium, Start, Text, Unreadable, Window, head_of,
    kind_of, read_binary, read_text,
};
use super::super::space::OpenFile;
use super::super::work::Stop;

/// How much of a file is given when nobody says.
pub(super) const DEFAULT_LINES: usize = 2_000;

/// A longer text is not sent twice, for models and for programs (G-05). As much as `read_max_bytes` is by default, so that a client that
/// shows only one of the two has the text, unless somebody asked for more.
const MOST_TWICE: usize = 50 << 10;

/// What may be given, from the settings of the call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) bytes: usize,
    pub(super) line_bytes: usize,
    pub(super) media_bytes: usize,
}

/// A file, or a part of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct Given {
    /// The file, relative to the default root if it is in it.
    pub(super) path: String,
    /// The text of the lines, exactly as it is in the file; null if the file is no text, and where it is longer than 50 KiB and the
    /// answer has it as its text.
    pub(super) content: Option<String>,
    /// The number of the first line given; the first line of a file is 1. Null if the lines before it were not counted.
    pub(super) start_line: Option<u64>,
    /// How many lines are given.
    pub(super) count: usize,
    /// How many lines the file has; null if it is too large to count them.
    pub(super) total: Option<u64>,
    /// Whether something of the file is missing here.
    pub(super) truncated: bool,
    /// Why: `limit`, there are more lines than were asked for; `bytes`, more than one call gives; `line_bytes`, a line is longer than
    /// what is given of one.
    pub(super) truncated_reason: Option<Cut>,
    /// Where to go on: the `start_line` of the next call. Null at the end.
    pub(super) next_start_line: Option<u64>,
    /// How the text is written down; null if the file is no text.
    pub(super) encoding: Option<Encoding>,
    /// How its lines end, as far as they are given.
    pub(super) line_ending: Option<LineEnding>,
    /// What kind of file it is, by its content.
    pub(super) mime_type: String,
    /// Bytes of the whole file.
    pub(super) size: u64,
}

/// What of a file is wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub(super) start: Start,
    pub(super) lines: usize,
}

impl Given {
    /// The same for an answer whose text is the file's, with the items of that.
    pub(super) fn beside_text(mut self, mut items: Vec<Content>) -> (Self, Vec<Content>) {
        let is_long = self.content.as_ref().is_some_and(|content| content.len() > MOST_TWICE);
        let text = if is_long { self.content.take() } else { self.content.clone() };
        if let Some(text) = text {
            items.insert(0, Content::from(text));
        }
        (self, items)
    }
}

impl Limits {
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

/// Reads an open file; the items are for the model, beside the text. `bytes` are the file itself, or what was read of it; `shown` is its path in the result.
pub(super) fn given(
    opened: &OpenFile,
    bytes: &dyn Bytes,
    shown: String,
    wanted: Wanted,
    limits: Limits,
    stop: &Stop,
) -> Result<(Given, Vec<Content>), FileError> {
    let size = opened.facts.size;
    let wrong = |why| unreadable(why, &shown, size, limits);
    let head = head_of(bytes, size).map_err(wrong)?;
    let encoding = match kind_of(&head, head.len() as u64 == size) {
        Kind::Binary(binary) => return media(opened, bytes, shown, binary, limits),
        Kind::Text(encoding) => encoding,
    };
    let window = Window {
        start: wanted.start,
        most_lines: wanted.lines,
        most_bytes: limits.bytes,
        most_line_bytes: limits.line_bytes,
    };
    match read_text(bytes, size, encoding, &window, stop) {
        Ok(text) => Ok(texts(text, encoding, shown, size)),
        Err(Unreadable::NotText) => media(opened, bytes, shown, Binary::UNKNOWN, limits),
        Err(why) => Err(unreadable(why, &shown, size, limits)),
    }
}

fn texts(text: Text, encoding: Encoding, path: String, size: u64) -> (Given, Vec<Content>) {
    let end = text.first.map(|first| first + text.count as u64);
    let next = end.filter(|_| text.has_more);
    let remarks = text.cut.map(|cut| Content::from(remark(&text, cut, next))).into_iter().collect();
    let given = Given {
        path,
        start_line: text.first,
        count: text.count,
        total: text.total,
        truncated: text.cut.is_some(),
        truncated_reason: text.cut,
        next_start_line: next,
        encoding: Some(encoding),
        line_ending: Some(text.line_ending),
        mime_type: "text/plain".to_owned(),
        size,
        content: Some(text.content),
    };
    (given, remarks)
}

/// What a model that sees only the text must know.
fn remark(text: &Text, cut: Cut, next: Option<u64>) -> String {
    let total = text.total.map_or_else(String::new, |total| format!(" of {total}"));
    let what = match text.first {
        Some(first) => format!("lines {first} to {}{total}", (first + text.count as u64).saturating_sub(1)),
        None => format!("the last {} lines", text.count),
    };
    let long = if cut == Cut::LineBytes { "; long lines are cut" } else { "" };
    let more = next.map_or_else(String::new, |next| format!("; go on with `start_line` {next}"));
    format!("[These are {what}{long}{more}.]")
}

/// A file that is no text: all of it, as what it is.
fn media(
    opened: &OpenFile,
    bytes: &dyn Bytes,
    shown: String,
    binary: Binary,
    limits: Limits,
) -> Result<(Given, Vec<Content>), FileError> {
    let size = opened.facts.size;
    let length = usize::try_from(size).ok().filter(|length| *length <= limits.media_bytes).ok_or_else(|| {
        FileError::new(
            code::TOO_LARGE,
            format!(
                "`{shown}` is no text but `{}`, and has {size} bytes; at most {} are given of such a file",
                binary.mime_type, limits.media_bytes
            ),
            "Use another program for it, or ask the user to raise `media_max_bytes`.",
        )
    })?;
    let bytes = read_binary(bytes, length).map_err(|why| unreadable(why, &shown, size, limits))?;
    let item = match binary.medium {
        Medium::Image => Content::image(&bytes, binary.mime_type),
        Medium::Audio => Content::audio(&bytes, binary.mime_type),
        Medium::Other => Content::embedded_bytes(&uri(opened.path.as_str()), binary.mime_type, &bytes),
    };
    let about = format!("[`{shown}` is no text but `{}`, {size} bytes.]", binary.mime_type);
    let given = Given {
        path: shown,
        content: None,
        start_line: None,
        count: 0,
        total: None,
        truncated: false,
        truncated_reason: None,
        next_start_line: None,
        encoding: None,
        line_ending: None,
        mime_type: binary.mime_type.to_owned(),
        size,
    };
    Ok((given, vec![Content::from(about), item]))
}

fn unreadable(why: Unreadable, shown: &str, size: u64, limits: Limits) -> FileError {
    match why {
        Unreadable::PastEnd { lines } => FileError::new(
            code::LINE_OUT_OF_RANGE,
            format!("`{shown}` has {lines} lines, and the first line is 1"),
            "Use a smaller `start_line`, or `tail` for the end.",
        ),
        Unreadable::TooFar { bytes } => FileError::new(
            code::LINE_OUT_OF_RANGE,
            format!(
                "`{shown}` has {size} bytes, and the line is not in the first {bytes}, in which lines are counted"
            ),
            "Use a smaller `start_line`, `tail` for the end, or `search_files` to find the place.",
        ),
        Unreadable::NotText => FileError::new(
            code::NOT_TEXT,
            format!(
                "`{shown}` is neither UTF-8 nor UTF-16, and has {size} bytes; at most {} are given",
                limits.media_bytes
            ),
            "Use another program for it.",
        ),
        Unreadable::Stopped => FileError::new(
            code::CANCELLED,
            "the call was given up before it ended",
            "Call again if it is still wanted.",
        ),
        Unreadable::System(error) => {
            let errno = rustix::io::Errno::from_io_error(&error).unwrap_or(rustix::io::Errno::IO);
            FileError::system(errno, shown)
        }
    }
}

/// `file:///a%20b`.
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
