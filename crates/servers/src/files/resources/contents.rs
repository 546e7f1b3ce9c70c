//! Reads a file or a folder for a client, as a resource.
use std::io::Read as _;
use std::os::fd::AsFd as _;
use std::sync::Arc;

use overt_toolbox::{Context, ResourceContents, ToolError};
use rustix::fs::{Dir, FileType};

use super::super::FileServer;
use super::super::access::{Folder, SubtreeVisibility, View};
use super::super::error::{FileError, code};
use super::super::read::{Kind, MOST_HEAD, kind_of};
use super::super::work::Stop;

/// Most names of a folder that are returned. A last line says that there are more.
const MOST_NAMES: usize = 10_000;

pub(super) async fn read(
    server: Arc<FileServer>,
    path: String,
    context: Context,
) -> Result<ResourceContents, ToolError> {
    let view = server.view(&context)?;
    let most = context.setting::<u64>("media_max_bytes")?;
    server.workers.run(move |stop| contents(&view, &path, most, stop)).await.map_err(unknown)
}

fn contents(view: &View, path: &str, most: u64, stop: &Stop) -> Result<ResourceContents, FileError> {
    match view.folder(path) {
        Ok(folder) => names(view, &folder, stop),
        Err(error) if error.code == code::NOT_A_FOLDER => file(view, path, most),
        Err(error) => Err(error),
    }
}

fn file(view: &View, path: &str, most: u64) -> Result<ResourceContents, FileError> {
    let opened = view.file(path)?;
    let mut bytes = Vec::new();
    let read = opened.file.take(most + 1).read_to_end(&mut bytes);
    read.map_err(|error| FileError::new(code::IO, format!("`{path}`: {error}"), "Call again."))?;
    if bytes.len() as u64 > most {
        return Err(FileError::new(
            code::TOO_LARGE,
            format!("`{path}` has more than the {most} bytes that a resource may have"),
            "Read a part of it with `read_file`.",
        ));
    }
    let head = &bytes[..bytes.len().min(MOST_HEAD)];
    Ok(match kind_of(head, head.len() == bytes.len()) {
        Kind::Binary(binary) => ResourceContents::bytes(binary.mime_type, bytes),
        Kind::Text(_) => match String::from_utf8(bytes) {
            Ok(text) => ResourceContents::text("text/plain", text),
            Err(error) => ResourceContents::bytes("text/plain", error.into_bytes()),
        },
    })
}

/// Returns a line for each visible entry. A folder's name ends with `/`.
fn names(view: &View, folder: &Folder, stop: &Stop) -> Result<ResourceContents, FileError> {
    let shown = view.shown(&folder.path);
    let failed = |errno| FileError::system(errno, &shown);
    let visibility = view.visibility(&folder.path, SubtreeVisibility::default());
    let (mut names, mut unnamed) = (Vec::new(), 0_usize);
    for entry in Dir::read_from(folder.as_fd()).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if stop.is_set() || names.len() > MOST_NAMES {
            break;
        }
        let Ok(name) = entry.file_name().to_str() else {
            unnamed += 1;
            continue;
        };
        if matches!(name, "." | "..") || !view.sees_in(visibility, &folder.path.child(name)) {
            continue;
        }
        let end = if entry.file_type() == FileType::Directory { "/" } else { "" };
        names.push(format!("{name}{end}"));
    }
    let has_more = names.len() > MOST_NAMES;
    names.truncate(MOST_NAMES);
    names.sort_unstable();
    let more = has_more.then(|| "(there are more; `list_directory` gives all of them)".to_owned());
    let unnamed = (unnamed > 0).then(|| format!("({unnamed} entries have names that are not UTF-8)"));
    let text: String = names.into_iter().chain(more).chain(unnamed).map(|name| name + "\n").collect();
    Ok(ResourceContents::text("inode/directory", text))
}

/// Reports a path that the client may not see as one that does not exist.
pub(super) fn unknown(error: FileError) -> ToolError {
    match error.code {
        code::NOT_FOUND => ToolError::new(error.problem).code("NOT_FOUND"),
        code::OUTSIDE_ROOT | code::NOT_ALLOWED => ToolError::new(error.problem).code("NOT_FOUND").refusal(),
        _ => error.into(),
    }
}
