//! A skill as a server lists it, checked as far as possible without its files: the name, the paths,
//! the limits.
use overt_wire::json::JsonBuf;
use overt_wire::skill::{MAIN_FILE, MOST_BYTES, MOST_FILES, Sha256Digest, SkillEntry, SkillResources};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::file_path::{PathProblem, Paths, check_name, relative_path};

/// A skill of a server that may be loaded. Its files are only listed; none was requested yet.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillManifest {
    uri: String,
    name: String,
    front_matter: Value,
    files: Vec<ManifestFile>,
}

/// A file that a server lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestFile {
    pub uri: String,
    /// The path below the directory of the skill, with `/` between names.
    pub path: String,
    pub digest: Sha256Digest,
    pub size: u64,
}

/// The reason why a skill must not be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ManifestError {
    #[error("`{0}` does not end with the name of a skill and `/SKILL.md`")]
    Uri(String),
    #[error("the front matter that the server lists has no name")]
    NoName,
    #[error("the front matter that the server lists can't be read")]
    FrontMatter,
    #[error("the skill calls itself `{name}`, and its URI ends with `{segment}`")]
    Name { name: String, segment: String },
    #[error("the server does not say which files the skill has, so they can't be verified")]
    Dynamic,
    #[error("the skill has {0} files; at most {MOST_FILES} are allowed")]
    ManyFiles(usize),
    #[error("the files of the skill have more than {MOST_BYTES} bytes together")]
    Large,
    #[error("the file `{uri}` {problem}")]
    Path { uri: String, problem: PathProblem },
    #[error("the server does not list the SKILL.md of the skill")]
    NoMainFile,
}

impl SkillManifest {
    pub fn new(entry: SkillEntry) -> Result<Self, ManifestError> {
        let bad_uri = || ManifestError::Uri(entry.uri.clone());
        let directory = entry.directory().ok_or_else(bad_uri)?;
        // The directory may be `skill://name` or `skill://group/name`.
        let segment =
            directory.rsplit('/').next().filter(|segment| !segment.is_empty()).ok_or_else(bad_uri)?;
        check_name(segment).map_err(|problem| ManifestError::Path { uri: entry.uri.clone(), problem })?;
        let front_matter = read(&entry.frontmatter).ok_or(ManifestError::FrontMatter)?;
        let name = front_matter.get("name").and_then(Value::as_str).ok_or(ManifestError::NoName)?;
        if name != segment {
            return Err(ManifestError::Name { name: name.to_owned(), segment: segment.to_owned() });
        }
        let SkillResources::Files(listed) = &entry.resources else { return Err(ManifestError::Dynamic) };
        if listed.len() > MOST_FILES {
            return Err(ManifestError::ManyFiles(listed.len()));
        }
        let mut total: u64 = 0;
        let mut paths = Paths::default();
        let mut files = Vec::with_capacity(listed.len());
        for file in listed {
            total = total.saturating_add(file.size);
            let wrong = |problem| ManifestError::Path { uri: file.uri.clone(), problem };
            let path = relative_path(&file.uri, directory).map_err(wrong)?;
            paths.add(&path).map_err(wrong)?;
            files.push(ManifestFile { uri: file.uri.clone(), path, digest: file.digest, size: file.size });
        }
        if total > MOST_BYTES {
            return Err(ManifestError::Large);
        }
        if !files.iter().any(|file| file.path == MAIN_FILE && file.uri == entry.uri) {
            return Err(ManifestError::NoMainFile);
        }
        files.sort_by(|one, other| one.path.cmp(&other.path));
        let name = name.to_owned();
        Ok(Self { uri: entry.uri, name, front_matter, files })
    }

    /// Returns the URI of its SKILL.md.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Returns the name of the skill, which is also the name of its directory.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the front matter as the server lists it. It is not verified yet.
    pub fn front_matter(&self) -> &Value {
        &self.front_matter
    }

    /// Returns the files, sorted by their paths.
    pub fn files(&self) -> &[ManifestFile] {
        &self.files
    }

    /// Returns the size of all files together, in bytes.
    pub fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }

    /// Returns one digest of the name and of every path, size and digest. An approval is bound to
    /// it.
    pub fn digest(&self) -> Sha256Digest {
        let mut hash = Sha256::new();
        // A path has no line breaks, so different sets of files give different texts.
        hash.update(format!("skill {}\n", self.name));
        for file in &self.files {
            hash.update(format!("{} {} {}\n", file.digest, file.size, file.path));
        }
        Sha256Digest(hash.finalize().into())
    }
}

fn read(text: &JsonBuf) -> Option<Value> {
    text.as_json().read().ok()
}
