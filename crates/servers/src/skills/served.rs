//! A skill in the form in which it is served.
use std::collections::BTreeMap;
use std::sync::Arc;

use overt_documents::skill::check::Member;
use overt_documents::skill::{Entry, reference_id};
use overt_wire::json::JsonBuf;
use overt_wire::skill::{Sha256Digest, SkillEntry, SkillFile, SkillResources};
use serde_json::{Value, json};

use super::tree::{FoundFile, join};

/// Which form of a SKILL.md is served.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Serve {
    /// The source if it fits the specification, otherwise the portable form.
    #[default]
    Auto,
    /// The file as it is.
    Source,
    /// The portable form, which has only the fields of the specification.
    Projected,
}

/// A skill as served. It is immutable.
#[derive(Debug)]
pub(super) struct ServedSkill {
    pub(super) root: usize,
    /// Relative to the root; empty if the skill is the root itself.
    pub(super) directory: String,
    /// Path below `skill://` under which its files are addressed.
    pub(super) path: String,
    /// URI of its SKILL.md.
    pub(super) uri: String,
    pub(super) name: String,
    pub(super) description: String,
    /// The SKILL.md as it is served.
    pub(super) text: Arc<str>,
    /// Sorted by path.
    pub(super) files: Vec<ServedFile>,
    /// Its entry in `skills/list`.
    pub(super) entry: JsonBuf,
    pub(super) record: Record,
    /// Its id and the ids that it depends on, if it has repository metadata.
    pub(super) member: Option<Member>,
    /// The files on disk from which it was read.
    pub(super) found: Vec<FoundFile>,
}

/// A file of a skill.
#[derive(Debug, Clone)]
pub(super) struct ServedFile {
    /// Relative to the directory of the skill.
    pub(super) path: String,
    pub(super) uri: String,
    pub(super) size: u64,
    pub(super) digest: Sha256Digest,
    /// The content, which is kept for each SKILL.md. `None` for other files: they are read again
    /// and compared with the digest.
    pub(super) kept: Option<Arc<str>>,
}

/// The catalogue's record of a skill.
#[derive(Debug)]
pub(super) struct Record {
    /// Whether the skill has repository metadata, so that its addresses are listed.
    pub(super) is_declared: bool,
    pub(super) id: String,
    pub(super) version: Option<String>,
    /// Sorted.
    pub(super) tags: Vec<String>,
    pub(super) capabilities: Vec<String>,
    pub(super) references: BTreeMap<String, Reference>,
    /// The complete record, as the catalogue shows it.
    pub(super) value: Value,
}

/// A file that seed 001 addresses by an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference {
    /// Relative to the directory of the skill.
    pub(super) path: String,
    pub(super) mime_type: String,
    pub(super) title: Option<String>,
}

impl ServedSkill {
    pub(super) fn file(&self, path: &str) -> Option<&ServedFile> {
        let at = self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
        self.files.get(at)
    }

    /// Returns the location of one of its files: the index of the root, and the path below the
    /// root. Two skills that contain the same file return the same location.
    pub(super) fn location(&self, file: &ServedFile) -> (usize, String) {
        (self.root, join(&self.directory, &file.path))
    }
}

/// Builds the entry of a skill in `skills/list`.
pub(super) fn entry(uri: &str, frontmatter: JsonBuf, files: &[ServedFile]) -> JsonBuf {
    let file = |file: &ServedFile| SkillFile { uri: file.uri.clone(), digest: file.digest, size: file.size };
    let resources = SkillResources::Files(files.iter().map(file).collect());
    SkillEntry { uri: uri.to_owned(), frontmatter, resources }.write()
}

impl Record {
    /// Builds the record. A file in `references/` that the metadata does not name gets its file
    /// name as id (F-19).
    pub(super) fn new(entry: &Entry, is_declared: bool, files: &[ServedFile]) -> Self {
        let mut value = entry.record();
        let text = |member: &str| value.get(member).and_then(Value::as_str).map(str::to_owned);
        let texts = |member: &str| -> Vec<String> {
            let list = value.get(member).and_then(Value::as_array).into_iter().flatten();
            list.filter_map(Value::as_str).map(|text| text.trim().to_owned()).collect()
        };
        let declared = value.get("references").and_then(Value::as_object).into_iter().flatten();
        let mut references: BTreeMap<String, Reference> =
            declared.filter_map(|(id, reference)| Some((id.clone(), Reference::read(reference)?))).collect();
        for file in files {
            let is_named = references.values().any(|reference| reference.path == file.path);
            if let Some(id) = reference_id(&file.path).filter(|id| !is_named && !references.contains_key(*id))
            {
                let mime_type = "text/markdown".to_owned();
                let reference = Reference { path: file.path.clone(), mime_type, title: None };
                references.insert(id.to_owned(), reference);
            }
        }
        let id = text("id").unwrap_or_default();
        let version = text("version");
        let (mut tags, capabilities) = (texts("tags"), texts("capabilities"));
        tags.sort();
        value["references"] = references.iter().map(|(id, found)| (id.clone(), found.value())).collect();
        value["reference_ids"] = json!(references.keys().collect::<Vec<_>>());
        Self { is_declared, id, version, tags, capabilities, references, value }
    }
}

impl Reference {
    fn read(value: &Value) -> Option<Self> {
        let text = |member: &str| value.get(member).and_then(Value::as_str).map(str::to_owned);
        Some(Self { path: text("path")?, mime_type: text("mime_type")?, title: text("title") })
    }

    fn value(&self) -> Value {
        let mut value = json!({ "path": self.path, "mime_type": self.mime_type });
        if let Some(title) = &self.title {
            value["title"] = json!(title);
        }
        value
    }
}
