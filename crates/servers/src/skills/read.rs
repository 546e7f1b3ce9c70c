//! Reads the contents of resources. A file that differs from the snapshot is refused, so that no
//! client gets parts of two states.
use std::sync::Arc;

use overt_policy::uri::ResourceUri;
use overt_toolbox::{Context, ResourceContents, ToolError};
use overt_wire::skill::Sha256Digest;
use serde_json::{Value, json};

use super::content;
use super::definitions;
use super::library::Library;
use super::mime::mime_type;
use super::options::NAME;
use super::served::{ServedFile, ServedSkill};
use super::snapshot::{Snapshot, Target};
use crate::files::access::Roots;
use crate::files::error::FileError;

/// The content behind an address.
#[derive(Debug)]
pub(super) enum Body {
    Text(String),
    Bytes(Vec<u8>),
}

/// Content with its media type.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) mime_type: String,
    pub(super) body: Body,
}

/// A file on disk, with the size and digest that it must have.
struct ExpectedFile {
    root: usize,
    directory: String,
    path: String,
    size: u64,
    digest: Sha256Digest,
}

impl Library {
    /// Returns the content behind an address, if the caller may read it.
    pub(super) async fn read(self: &Arc<Self>, uri: &str, context: &Context) -> Result<Read, ToolError> {
        let snapshot = self.current();
        let target = snapshot.resolve(uri).ok_or_else(|| not_found(uri))?;
        let json = |text: String| Read { mime_type: "application/json".to_owned(), body: Body::Text(text) };
        let (skill, file, mime) = match target {
            Target::Index => return Ok(json(index(&snapshot, context).to_string())),
            Target::Record(skill) if may_read(context, &skill.uri) => {
                return Ok(json(skill.record.value.to_string()));
            }
            Target::Manifest(skill) if may_read(context, &skill.uri) => {
                return Ok(json(definitions::manifest(skill).into_string()));
            }
            Target::Record(_) | Target::Manifest(_) => return Err(not_found(uri)),
            Target::File(skill, file) => (skill, file, mime_type(&file.path).to_owned()),
            Target::Reference(skill, file, reference) => (skill, file, reference.mime_type.clone()),
        };
        // The permission check applies to the file itself, whichever address the client used.
        if !may_read(context, &file.uri) {
            return Err(not_found(uri));
        }
        let body = match &file.kept {
            Some(text) => Body::Text(text.to_string()),
            None => self.from_disk(skill, file, uri).await?,
        };
        Ok(Read { mime_type: mime, body })
    }

    async fn from_disk(
        self: &Arc<Self>,
        skill: &ServedSkill,
        file: &ServedFile,
        uri: &str,
    ) -> Result<Body, ToolError> {
        let wanted = ExpectedFile {
            root: skill.root,
            directory: skill.directory.clone(),
            path: file.path.clone(),
            size: file.size,
            digest: file.digest,
        };
        let library = Arc::clone(self);
        let read = self.workers.run(move |_| wanted.read(&library.sources.roots)).await;
        match read {
            Ok(Some(bytes)) => Ok(match String::from_utf8(bytes) {
                Ok(text) => Body::Text(text),
                Err(error) => Body::Bytes(error.into_bytes()),
            }),
            Ok(None) | Err(_) => {
                self.stale.notify_one();
                Err(ToolError::new(format!("`{uri}` was changed on disk since it was listed"))
                    .next("List the skills again, then read it once more.")
                    .code("CHANGED"))
            }
        }
    }
}

impl ExpectedFile {
    /// Reads the file. `None` if its size or digest differs from the expected one.
    fn read(&self, roots: &Roots) -> Result<Option<Vec<u8>>, FileError> {
        let root = roots.served().nth(self.root).ok_or_else(|| FileError::outside(&self.path))?;
        let folder = root.folder()?.folder_beneath(&self.directory)?;
        let bytes = content::read(&folder, &self.path, self.size)?.bytes;
        let is_same = bytes.len() as u64 == self.size && content::digest(&bytes) == self.digest;
        Ok(is_same.then_some(bytes))
    }
}

impl Read {
    pub(super) fn into_contents(self) -> ResourceContents {
        match self.body {
            Body::Text(text) => ResourceContents::text(&self.mime_type, text),
            Body::Bytes(bytes) => ResourceContents::bytes(&self.mime_type, bytes),
        }
    }
}

/// Whether the caller may read a file. This checks the `skill://` address, so a scope that denies
/// it denies every other address of the file too.
pub(super) fn may_read(context: &Context, uri: &str) -> bool {
    ResourceUri::parse(uri).is_ok_and(|uri| context.allows(&uri.scope(NAME), true))
}

/// The catalogue of all skills that the caller may read.
fn index(snapshot: &Snapshot, context: &Context) -> Value {
    let skills = snapshot.skills.iter().filter(|skill| may_read(context, &skill.uri));
    json!({ "skills": skills.map(|skill| &skill.record.value).collect::<Vec<_>>() })
}

pub(super) fn not_found(uri: &str) -> ToolError {
    ToolError::new(format!("there is no `{uri}`"))
        .next("Use the name or URI of a skill, file or resource that was listed.")
        .code("NOT_FOUND")
}
