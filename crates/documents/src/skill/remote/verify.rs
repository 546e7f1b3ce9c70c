//! Compares files with the manifest that lists them. Only verified files can be accessed, and the
//! SKILL.md comes first.
use overt_wire::skill::{MAIN_FILE, Sha256Digest};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::manifest::{ManifestFile, SkillManifest};
use crate::front_matter::split;
use crate::yaml;

/// The most fields that an error names.
const MOST_FIELDS: usize = 5;

/// The reason why a file must not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    #[error("`{path}` has {found} bytes, and the server lists {listed}")]
    Size { path: String, listed: u64, found: u64 },
    #[error("`{path}` is not what the server lists: its digest is `{found}` instead of `{listed}`")]
    Digest { path: String, listed: Sha256Digest, found: Sha256Digest },
    #[error("SKILL.md has front matter that can't be read")]
    FrontMatter,
    #[error("the front matter of SKILL.md is not what the server lists: {fields} differ")]
    Differs { fields: String },
}

/// A file with the size and digest that the manifest lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedFile {
    file: ManifestFile,
    bytes: Vec<u8>,
}

/// A skill that is being loaded. Loading begins with its SKILL.md, so that nothing else is
/// requested if that differs from the list.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillLoad {
    manifest: SkillManifest,
    files: Vec<VerifiedFile>,
}

/// A skill with all of its files, each verified.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifiedSkill {
    manifest: SkillManifest,
    files: Vec<VerifiedFile>,
}

// === impl VerifiedFile ===

impl VerifiedFile {
    fn new(file: &ManifestFile, bytes: Vec<u8>) -> Result<Self, VerifyError> {
        let found = bytes.len() as u64;
        if found != file.size {
            return Err(VerifyError::Size { path: file.path.clone(), listed: file.size, found });
        }
        let found = Sha256Digest(Sha256::digest(&bytes).into());
        if found != file.digest {
            return Err(VerifyError::Digest { path: file.path.clone(), listed: file.digest, found });
        }
        Ok(Self { file: file.clone(), bytes })
    }

    pub fn path(&self) -> &str {
        &self.file.path
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

// === impl SkillLoad ===

impl SkillLoad {
    /// Begins loading. `main` is the server's content for the URI of the skill.
    pub fn begin(manifest: SkillManifest, main: Vec<u8>) -> Result<Self, VerifyError> {
        let file = manifest.files().iter().find(|file| file.path == MAIN_FILE);
        // A manifest always has its main file.
        let file = file.ok_or(VerifyError::FrontMatter)?;
        let main = VerifiedFile::new(file, main)?;
        compare(manifest.front_matter(), &main.bytes)?;
        Ok(Self { manifest, files: vec![main] })
    }

    pub fn manifest(&self) -> &SkillManifest {
        &self.manifest
    }

    pub fn main(&self) -> &VerifiedFile {
        &self.files[0]
    }

    /// Returns the next file to request, or `None` if all are loaded.
    pub fn next(&self) -> Option<&ManifestFile> {
        let mut files = self.manifest.files().iter().filter(|file| file.path != MAIN_FILE);
        files.nth(self.files.len() - 1)
    }

    /// Verifies and adds the file that [`SkillLoad::next`] returned.
    pub fn add(&mut self, bytes: Vec<u8>) -> Result<(), VerifyError> {
        if let Some(file) = self.next() {
            let file = VerifiedFile::new(file, bytes)?;
            self.files.push(file);
        }
        Ok(())
    }

    /// Verifies one file without adding it.
    pub fn verify(&self, file: &ManifestFile, bytes: Vec<u8>) -> Result<VerifiedFile, VerifyError> {
        VerifiedFile::new(file, bytes)
    }

    /// Returns the skill, or `None` while files are missing.
    pub fn finish(self) -> Option<VerifiedSkill> {
        if self.next().is_some() {
            return None;
        }
        let mut files = self.files;
        files.sort_by(|one, other| one.file.path.cmp(&other.file.path));
        Some(VerifiedSkill { manifest: self.manifest, files })
    }
}

// === impl VerifiedSkill ===

impl VerifiedSkill {
    pub fn manifest(&self) -> &SkillManifest {
        &self.manifest
    }

    /// Returns the files, sorted by their paths.
    pub fn files(&self) -> &[VerifiedFile] {
        &self.files
    }

    pub fn main(&self) -> Option<&VerifiedFile> {
        self.files.iter().find(|file| file.path() == MAIN_FILE)
    }

    /// Returns the tools that the skill wants to use without asking, according to itself. Nothing
    /// grants them.
    pub fn allowed_tools(&self) -> Option<String> {
        match self.manifest.front_matter().get("allowed-tools")? {
            Value::String(tools) => Some(tools.clone()),
            Value::Array(tools) => Some(tools.iter().map(plain).collect::<Vec<_>>().join(" ")),
            other => Some(other.to_string()),
        }
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Checks that the front matter of the file is what the server lists, field by field.
fn compare(listed: &Value, main: &[u8]) -> Result<(), VerifyError> {
    let text = std::str::from_utf8(main).map_err(|_| VerifyError::FrontMatter)?;
    let front = split(text).ok().and_then(|parts| parts.front).ok_or(VerifyError::FrontMatter)?;
    let found = yaml::read(front, 2).map_err(|_| VerifyError::FrontMatter)?.value;
    let (Value::Object(listed), Value::Object(found)) = (listed, &found) else {
        return Err(VerifyError::FrontMatter);
    };
    let mut fields: Vec<&str> = listed
        .keys()
        .chain(found.keys())
        .map(String::as_str)
        .filter(|name| differs(listed, found, name))
        .collect();
    fields.sort_unstable();
    fields.dedup();
    if fields.is_empty() {
        return Ok(());
    }
    let more = fields.len().saturating_sub(MOST_FIELDS);
    let mut named: Vec<String> = fields.iter().take(MOST_FIELDS).map(|field| format!("`{field}`")).collect();
    named.extend((more > 0).then(|| format!("{more} more")));
    Err(VerifyError::Differs { fields: named.join(", ") })
}

fn differs(listed: &Map<String, Value>, found: &Map<String, Value>, name: &str) -> bool {
    match (listed.get(name), found.get(name)) {
        (Some(listed), Some(found)) => !is_same(listed, found),
        _ => true,
    }
}

/// Compares values. Numbers are compared by value, because JSON may write `1` for the `1.0` of
/// YAML.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || ((one.is_f64() || other.is_f64()) && one.as_f64() == other.as_f64())
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, value)| other.get(name).is_some_and(|other| is_same(value, other)))
        }
        _ => one == other,
    }
}
