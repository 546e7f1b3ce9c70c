//! The resource template for all files and folders: reading and watching.
use std::collections::BTreeMap;
use std::sync::Arc;

use overt_policy::ResourceRecord;
use overt_toolbox::{Context, ResourceTemplate, ToolError, Watch};

use super::super::FileServer;
use super::super::access::{Folder, View};
use super::super::error::{FileError, code};
use super::super::watching::Subject;
use super::contents::{read, unknown};

const DESCRIPTION: &str = "A file, or the names in a folder, by its absolute path. Subscribe to it to hear when it changes: a \
    subscription to a folder covers the entries in it, not those in its subfolders.";

pub(in super::super) fn template(server: &Arc<FileServer>) -> ResourceTemplate {
    let (reader, watcher) = (Arc::clone(server), Arc::clone(server));
    ResourceTemplate::new("file:///{+path}", "file", move |variables, context| {
        read(Arc::clone(&reader), path_of(&variables), context)
    })
    .title("Files and folders")
    .description(DESCRIPTION)
    .declare(ResourceRecord {
        resource_type: Some("file".to_owned()),
        refreshable: Some(true),
        ..ResourceRecord::default()
    })
    .watch(move |uri, variables, context| watch(Arc::clone(&watcher), uri, path_of(&variables), context))
}

fn path_of(variables: &BTreeMap<String, String>) -> String {
    format!("/{}", variables.get("path").map_or("", |path| path.trim_matches('/')))
}

async fn watch(
    server: Arc<FileServer>,
    uri: String,
    path: String,
    context: Context,
) -> Result<Watch, ToolError> {
    let view = server.view(&context)?;
    let (scopes, changes) = (context.scope_check(), context.changes().clone());
    let subject = server
        .workers
        .run(move |_| {
            let (folder, name) = place(&view, &path)?;
            Ok::<_, FileError>(Subject { uri, shown: path, folder, name, view, scopes, changes })
        })
        .await
        .map_err(unknown)?;
    Ok(Watch::new(server.watching.subscribe(subject).await?))
}

/// Returns the folder to watch, and the name of the file in it; `None` to watch the folder itself.
fn place(view: &View, path: &str) -> Result<(Folder, Option<String>), FileError> {
    let folder = match view.folder(path) {
        Err(error) if error.code == code::NOT_A_FOLDER => None,
        folder => Some(folder?),
    };
    match folder {
        Some(folder) => Ok((folder, None)),
        None => {
            // Links are followed, as for reading: their target is what changes.
            let file = view.file(path)?;
            let (parent, name) = file.path.split().ok_or_else(|| FileError::outside(path))?;
            Ok((view.folder(parent.as_str())?, Some(name.to_owned())))
        }
    }
}
