//! The record of what was changed in one file: the original text of each entry and what replaced
//! it. Stored as JSON.
use std::collections::BTreeMap;
use std::path::Path;

use overt_wire::json::{Array, Json, JsonBuf, Object};

use super::document::EntryId;
use super::splice::{Edit, EditPosition};

/// What was changed in one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileRecord {
    pub entries: BTreeMap<EntryId, Vec<RecordedEdit>>,
}

/// One change of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedEdit {
    pub place: EditPosition,
    pub original: String,
    pub written: String,
}

impl FileRecord {
    /// Records edits. They replace what was recorded about the same entries.
    pub fn add(&mut self, edits: &[Edit]) {
        for edit in edits {
            self.entries.remove(&edit.entry);
        }
        for edit in edits {
            let recorded = RecordedEdit {
                place: edit.place.clone(),
                original: edit.original.clone(),
                written: edit.written.clone(),
            };
            self.entries.entry(edit.entry.clone()).or_default().push(recorded);
        }
    }

    pub fn of(&self, entry: &EntryId) -> &[RecordedEdit] {
        self.entries.get(entry).map(Vec::as_slice).unwrap_or_default()
    }

    pub fn to_json(&self, file: &Path) -> JsonBuf {
        let entries = self.entries.iter().fold(Array::new(), |list, (id, edits)| {
            let edits = edits.iter().fold(Array::new(), |list, edit| {
                let object = Object::new()
                    .value("path", &edit.place.path)
                    .value("after", &edit.place.is_after)
                    .string("original", &edit.original)
                    .string("written", &edit.written);
                list.json(object.finish().as_json())
            });
            let entry = Object::new()
                .value("table", &id.table)
                .string("name", &id.name)
                .value("occurrence", &id.occurrence)
                .json("edits", edits.finish().as_json());
            list.json(entry.finish().as_json())
        });
        let file = file.to_string_lossy();
        Object::new().string("file", &file).json("entries", entries.finish().as_json()).finish()
    }

    pub fn from_json(json: Json<'_>) -> Option<Self> {
        let strings = |json: Json<'_>, name: &str| -> Option<Vec<String>> {
            let list = json.get(name).value()?.elements();
            list.map(|item| Some(item.string()?.into_owned())).collect()
        };
        let mut entries = BTreeMap::new();
        for entry in json.get("entries").value()?.elements() {
            let id = EntryId {
                table: strings(entry, "table")?,
                name: entry.get("name").string()?.into_owned(),
                occurrence: entry.get("occurrence").value()?.as_str().parse().ok()?,
            };
            let edits = entry.get("edits").value()?.elements().map(|edit| {
                Some(RecordedEdit {
                    place: EditPosition {
                        path: strings(edit, "path")?,
                        is_after: edit.get("after").value()?.bool()?,
                    },
                    original: edit.get("original").string()?.into_owned(),
                    written: edit.get("written").string()?.into_owned(),
                })
            });
            entries.insert(id, edits.collect::<Option<Vec<_>>>()?);
        }
        Some(Self { entries })
    }
}
