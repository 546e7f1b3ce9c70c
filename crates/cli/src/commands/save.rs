//! Saves binary content of a result to files.
use std::borrow::Cow;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use overt_wire::view::{CallResult, Content};

use crate::args::ExistingFile;
use crate::error::{CommandError, outside_error, user_error};
use crate::output::{Printer, binary_label};
use crate::settings::Save;

/// Saves every binary item and prints the files' names.
pub(super) fn save(
    printer: &Printer,
    tool: &str,
    result: CallResult<'_>,
    save: &Save,
) -> Result<(), CommandError> {
    let Save::To { path, existing } = save else { return Ok(()) };
    let items: Vec<Binary> =
        result.content().enumerate().filter_map(|(index, item)| Binary::of(index + 1, item)).collect();
    if items.is_empty() {
        printer.warn("the result has nothing to save: no image, audio or other binary content");
        return Ok(());
    }
    let asks_for_directory = path.as_os_str().as_encoded_bytes().ends_with(b"/");
    let directory = path.is_dir() || items.len() > 1 || asks_for_directory;
    if directory {
        fs::create_dir_all(path).map_err(|source| unwritten(path, source))?;
    }
    for item in &items {
        let bytes = STANDARD.decode(&item.base64).map_err(|source| {
            outside_error(format!("item {} of the result is not valid base64", item.number)).caused_by(source)
        })?;
        let file = if directory { path.join(item.file_name(tool)) } else { path.clone() };
        write(&file, &bytes, *existing).map_err(|source| unwritten(&file, source))?;
        printer.note(&format!(
            "saved {}: {}",
            binary_label(item.mime_type.as_deref(), bytes.len()),
            file.display()
        ));
    }
    Ok(())
}

/// The error for a file that can't be written.
pub(super) fn unwritten(path: &Path, source: io::Error) -> CommandError {
    let is_there = source.kind() == io::ErrorKind::AlreadyExists;
    let failed = user_error(format!("failed to write `{}`", path.display())).caused_by(source);
    if is_there { failed.hinted("`--force` replaces it") } else { failed }
}

/// Writes a file. Whether it may replace an existing file is the caller's choice.
pub(super) fn write(path: &Path, bytes: &[u8], existing: ExistingFile) -> io::Result<()> {
    let mut options = OpenOptions::new();
    match existing {
        ExistingFile::Keep => options.write(true).create_new(true),
        ExistingFile::Replace => options.write(true).create(true).truncate(true),
    };
    options.open(path)?.write_all(bytes)
}

/// An item of a result that is not text.
struct Binary {
    /// Its position in the result, from 1.
    number: usize,
    mime_type: Option<String>,
    base64: String,
}

impl Binary {
    fn of(number: usize, item: Content<'_>) -> Option<Self> {
        let (holder, member) = match item.kind().as_deref() {
            Some("image" | "audio") => (item, "data"),
            Some("resource") => (item.resource()?, "blob"),
            _ => return None,
        };
        let base64 = holder.0.get(member).string()?.into_owned();
        Some(Self { number, mime_type: holder.mime_type().map(Cow::into_owned), base64 })
    }

    /// Returns a name of our own: one that the server suggests could lead out of the directory.
    fn file_name(&self, tool: &str) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
        let tool: String = tool.chars().take(64).map(plain).collect();
        format!("{tool}-{}.{}", self.number, extension(self.mime_type.as_deref().unwrap_or_default()))
    }
}

fn extension(mime_type: &str) -> &'static str {
    let kind = mime_type.split(';').next().unwrap_or_default().trim();
    EXTENSIONS
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(kind))
        .map_or("bin", |(_, extension)| extension)
}

const EXTENSIONS: [(&str, &str); 20] = [
    ("image/png", "png"),
    ("image/jpeg", "jpg"),
    ("image/gif", "gif"),
    ("image/webp", "webp"),
    ("image/avif", "avif"),
    ("image/svg+xml", "svg"),
    ("audio/wav", "wav"),
    ("audio/x-wav", "wav"),
    ("audio/mpeg", "mp3"),
    ("audio/ogg", "ogg"),
    ("audio/flac", "flac"),
    ("video/mp4", "mp4"),
    ("application/pdf", "pdf"),
    ("application/zip", "zip"),
    ("application/gzip", "gz"),
    ("application/json", "json"),
    ("text/plain", "txt"),
    ("text/html", "html"),
    ("text/csv", "csv"),
    ("text/markdown", "md"),
];
