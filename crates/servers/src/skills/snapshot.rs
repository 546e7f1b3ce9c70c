//! All skills at one moment, found by any of their addresses.
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use overt_toolbox::SkillListing;
use overt_wire::hex::hex;
use overt_wire::json::{JsonBuf, Object};
use overt_wire::skill::{DIRECTORY_TYPE, MAIN_FILE};
use sha2::{Digest as _, Sha256};

use super::definitions;
use super::finding::Finding;
use super::limits::MOST_FINDINGS;
use super::served::{Reference, ServedFile, ServedSkill};
use super::uri;

/// The skills at one moment. A snapshot is immutable.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    /// Sorted by path.
    pub(super) skills: Vec<Arc<ServedSkill>>,
    /// Every file, by its path in addresses: the index of its skill, and its index within the
    /// skill.
    files: BTreeMap<String, (usize, usize)>,
    by_id: HashMap<String, usize>,
    pub(super) findings: Vec<Finding>,
    entries: Vec<JsonBuf>,
    resources: Vec<JsonBuf>,
    revision: String,
}

/// The object that an address denotes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target<'a> {
    File(&'a ServedSkill, &'a ServedFile),
    Reference(&'a ServedSkill, &'a ServedFile, &'a Reference),
    /// The list of files for FastMCP clients.
    Manifest(&'a ServedSkill),
    /// The catalogue of all skills.
    Index,
    /// A skill in the catalogue.
    Record(&'a ServedSkill),
}

impl Snapshot {
    /// Builds a snapshot. If two skills claim the same address, the first keeps it. The other is
    /// left out, and a finding reports it.
    pub(super) fn new(
        mut skills: Vec<Arc<ServedSkill>>,
        mut findings: Vec<Finding>,
        shown: &[String],
    ) -> Self {
        skills.sort_by(|one, other| (&one.path, one.root).cmp(&(&other.path, other.root)));
        let mut snapshot = Self::default();
        for skill in skills {
            match snapshot.other_place(&skill) {
                None => snapshot.add(skill),
                Some(other) => {
                    let root = shown.get(skill.root).map_or("", String::as_str);
                    let path = super::tree::join(&super::tree::join(root, &skill.directory), MAIN_FILE);
                    let problem =
                        format!("`{other}` is the address of another file already; this skill is left out");
                    findings.push(Finding::new(&path, problem, "rename one of the directories"));
                }
            }
        }
        let declared = |is_declared: bool| {
            let skills = snapshot.skills.iter().enumerate();
            skills.filter(move |(_, skill)| skill.record.is_declared == is_declared)
        };
        let mut by_id = HashMap::new();
        for (index, skill) in declared(true).chain(declared(false)) {
            by_id.entry(skill.record.id.clone()).or_insert(index);
        }
        snapshot.by_id = by_id;
        snapshot.entries = snapshot.skills.iter().map(|skill| skill.entry.clone()).collect();
        snapshot.resources = definitions::resources(&snapshot.skills);
        let mut digest = Sha256::new();
        for text in snapshot.entries.iter().chain(&snapshot.resources) {
            digest.update(text.as_str());
        }
        snapshot.revision = hex(&digest.finalize());
        findings.truncate(MOST_FINDINGS);
        snapshot.findings = findings;
        snapshot
    }

    /// Returns an address of the skill that already belongs to another file, if any.
    fn other_place(&self, skill: &ServedSkill) -> Option<String> {
        let is_other = |file: &&ServedFile| {
            let there = self.files.get(&super::tree::join(&skill.path, &file.path));
            there.is_some_and(|(index, at)| {
                let known = &self.skills[*index];
                known.location(&known.files[*at]) != skill.location(file)
            })
        };
        skill.files.iter().find(is_other).map(|file| file.uri.clone())
    }

    fn add(&mut self, skill: Arc<ServedSkill>) {
        let index = self.skills.len();
        for (at, file) in skill.files.iter().enumerate() {
            self.files.entry(super::tree::join(&skill.path, &file.path)).or_insert((index, at));
        }
        self.skills.push(skill);
    }

    /// Returns what an address denotes, or `None` if it is unknown.
    pub(super) fn resolve(&self, address: &str) -> Option<Target<'_>> {
        if address == uri::INDEX {
            return Some(Target::Index);
        }
        if let Some(id) = address.strip_prefix(uri::RECORDS) {
            return self.by_id(id).map(Target::Record);
        }
        if let Some(rest) = address.strip_prefix(uri::SKILLS) {
            let (id, rest) = rest.split_once('/')?;
            let skill = self.by_id(id)?;
            return match rest.split_once('/') {
                None if rest == "document" => Some(Target::File(skill, skill.file(MAIN_FILE)?)),
                Some(("references", id)) => {
                    let reference = skill.record.references.get(id)?;
                    Some(Target::Reference(skill, skill.file(&reference.path)?, reference))
                }
                _ => None,
            };
        }
        let path = uri::path_of(address)?;
        if let Some((index, at)) = self.files.get(&path) {
            let skill = &self.skills[*index];
            return Some(Target::File(skill, &skill.files[*at]));
        }
        let directory = path.strip_suffix(uri::MANIFEST)?.strip_suffix('/')?;
        self.by_path(directory).map(Target::Manifest)
    }

    /// The skill whose files are addressed below this path.
    pub(super) fn by_path(&self, path: &str) -> Option<&ServedSkill> {
        let at = self.skills.binary_search_by(|skill| skill.path.as_str().cmp(path)).ok()?;
        self.skills.get(at).map(Arc::as_ref)
    }

    pub(super) fn by_id(&self, id: &str) -> Option<&ServedSkill> {
        self.by_id.get(id).map(|index| self.skills[*index].as_ref())
    }

    /// The skill that was read from this directory.
    pub(super) fn at(&self, root: usize, directory: &str) -> Option<&Arc<ServedSkill>> {
        self.skills.iter().find(|skill| skill.root == root && skill.directory == directory)
    }

    /// The addresses whose content differs between the two snapshots, and the index.
    pub(super) fn changed_uris(&self, other: &Self) -> Vec<String> {
        let digest = |of: &Self, path: &String| of.located(path).map(|(_, file)| file.digest);
        let gone = other.files.keys().filter(|path| !self.files.contains_key(*path));
        let changed = self.files.keys().chain(gone).filter(|path| digest(self, path) != digest(other, path));
        let uris = changed.filter_map(|path| self.located(path).or_else(|| other.located(path)));
        uris.flat_map(|(skill, file)| addresses(skill, file)).chain([uri::INDEX.to_owned()]).collect()
    }

    fn located(&self, path: &str) -> Option<(&ServedSkill, &ServedFile)> {
        let (index, at) = self.files.get(path)?;
        let skill = self.skills.get(*index)?;
        Some((skill, skill.files.get(*at)?))
    }
}

/// Returns every address of a file.
fn addresses(skill: &ServedSkill, file: &ServedFile) -> Vec<String> {
    let record = &skill.record;
    let document = (file.path == MAIN_FILE).then(|| uri::of_document(&record.id));
    let references = record.references.iter().filter(|(_, reference)| reference.path == file.path);
    let references = references.map(|(id, _)| uri::of_reference(&record.id, id));
    std::iter::once(file.uri.clone()).chain(document).chain(references).collect()
}

impl SkillListing for Snapshot {
    fn revision(&self) -> &str {
        &self.revision
    }

    fn entries(&self) -> &[JsonBuf] {
        &self.entries
    }

    fn entry(&self, address: &str) -> Option<JsonBuf> {
        let path = uri::path_of(address)?;
        let skill = self.by_path(path.strip_suffix(MAIN_FILE)?.strip_suffix('/')?)?;
        Some(skill.entry.clone())
    }

    fn resources(&self) -> &[JsonBuf] {
        &self.resources
    }

    fn directory(&self, address: &str) -> Option<Vec<JsonBuf>> {
        let path = uri::path_of(address)?;
        let path = path.strip_suffix('/').unwrap_or(&path);
        let prefix = format!("{path}/");
        let mut children = Vec::new();
        let mut last = None;
        let beneath = self.files.range(prefix.clone()..).take_while(|(path, _)| path.starts_with(&prefix));
        for (whole, (index, at)) in beneath {
            let rest = &whole[prefix.len()..];
            match rest.split_once('/') {
                None => {
                    let skill = &self.skills[*index];
                    children.push(definitions::file(skill, &skill.files[*at]));
                }
                Some((name, _)) if last != Some(name) => {
                    last = Some(name);
                    children.push(folder(&format!("{prefix}{name}"), name)?);
                }
                Some(_) => {}
            }
        }
        (!path.is_empty() && !children.is_empty()).then_some(children)
    }
}

fn folder(path: &str, name: &str) -> Option<JsonBuf> {
    let uri = uri::of_path(path)?;
    Some(Object::new().string("uri", &uri).string("name", name).string("mimeType", DIRECTORY_TYPE).finish())
}
