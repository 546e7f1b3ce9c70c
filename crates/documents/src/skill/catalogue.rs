//! Lists of skills: the index by which agents find the skills of a site, and the catalogue of a
//! repository (F-23).
use serde_json::{Map, Value, json};

use super::check::{REPOSITORY, is_id};
use super::reference_path::reference_path;
use crate::front_matter::split;
use crate::yaml;
use overt_policy::finding::{Findings, Pointer};

/// The path of the index, below the root of a site.
pub const INDEX_PATH: &str = ".well-known/agent-skills/index.json";
const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/// A skill in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub name: String,
    description: String,
    /// The digest of the bytes of SKILL.md: `sha256:` and 64 hexadecimal digits.
    digest: String,
    block: Map<String, Value>,
}

impl Entry {
    /// Reads the entry from a SKILL.md that was already checked.
    pub fn read(text: &str, digest: String) -> Result<Self, Findings> {
        let front = split(text)?.front.unwrap_or_default();
        let value = yaml::read(front, 2)?.value;
        let member = |name: &str| value.get(name).and_then(Value::as_str).map(|text| text.trim().to_owned());
        match (member("name"), member("description")) {
            (Some(name), Some(description)) => {
                let block = repository_of(text).unwrap_or_default();
                Ok(Self { name, description, digest, block })
            }
            _ => {
                let mut findings = Findings::default();
                findings.error(Pointer::root(), "has no name or no description", "write both");
                Err(findings)
            }
        }
    }

    /// Creates the entry of a skill of which only the data in a list is known.
    pub fn listed(name: String, description: String, digest: String) -> Self {
        Self { name, description, digest, block: Map::new() }
    }

    /// Takes the repository metadata from the source, if this entry was read from the portable
    /// form.
    pub fn take_repository(&mut self, source: &str) {
        if let Some(block) = repository_of(source) {
            self.block = block;
        }
    }

    /// Returns the path of its SKILL.md, relative to the folder of the index.
    pub fn path(&self) -> String {
        format!("{}/SKILL.md", self.name)
    }

    fn texts(&self, name: &str) -> Vec<&str> {
        let list = self.block.get(name).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// Returns the record of the skill in the catalogue, with the URI of its document and its
    /// references.
    pub fn record(&self) -> Value {
        let id = self.block.get("id").and_then(Value::as_str).unwrap_or(&self.name);
        let document = format!("resource://skills/{id}/document");
        let mut capabilities = self.texts("capabilities");
        if capabilities.is_empty() {
            capabilities.push(&document);
        }
        let listed = self.block.get("references").and_then(Value::as_object);
        let references: Map<String, Value> = listed
            .into_iter()
            .flatten()
            .filter_map(|(id, entry)| {
                let path = reference_path(entry.get("path")?.as_str()?).ok()?;
                let mime_type = entry.get("mime_type").and_then(Value::as_str).unwrap_or("text/markdown");
                let mut reference = json!({ "path": path, "mime_type": mime_type });
                if let Some(title) = entry.get("title").and_then(Value::as_str) {
                    reference["title"] = json!(title);
                }
                Some((id.clone(), reference))
            })
            .collect();
        let mut entry = json!({
            "id": id,
            "name": self.name,
            "description": self.description,
            "tags": self.texts("tags"),
            "capabilities": capabilities,
            "depends_on": self.texts("depends_on"),
            "document": document,
            "references": references,
        });
        if let Some(version) = self.block.get("version").and_then(Value::as_str) {
            entry["version"] = json!(version);
        }
        entry
    }
}

/// Returns whether a SKILL.md has repository metadata.
pub fn is_repository(text: &str) -> bool {
    repository_of(text).is_some()
}

fn repository_of(text: &str) -> Option<Map<String, Value>> {
    let front = split(text).ok()?.front?;
    yaml::read(front, 2).ok()?.value.get(REPOSITORY)?.as_object().cloned()
}

/// Returns the id of a reference, which is the stem of a file name directly in `references/`
/// (F-19).
pub fn reference_id(path: &str) -> Option<&str> {
    let path = reference_path(path).is_ok_and(|normal| normal == path).then_some(path)?;
    let name = path.strip_prefix("references/").filter(|name| !name.contains('/'))?;
    name.rsplit_once('.').map(|(stem, _)| stem).filter(|stem| is_id(stem))
}

/// Returns the index of the discovery draft 0.2.0, sorted by name.
pub fn index(entries: &[Entry]) -> Value {
    let skills: Vec<Value> = sorted(entries)
        .into_iter()
        .map(|entry| {
            json!({
                "name": entry.name,
                "type": "skill-md",
                "description": entry.description,
                "url": entry.path(),
                "digest": entry.digest,
            })
        })
        .collect();
    json!({ "$schema": SCHEMA, "skills": skills })
}

/// Returns the catalogue for `resource://catalog/skills_index`, sorted by name.
pub fn catalogue(entries: &[Entry]) -> Value {
    json!({ "skills": sorted(entries).into_iter().map(Entry::record).collect::<Vec<_>>() })
}

fn sorted(entries: &[Entry]) -> Vec<&Entry> {
    let mut entries: Vec<&Entry> = entries.iter().collect();
    entries.sort_by(|one, other| one.name.cmp(&other.name));
    entries
}
