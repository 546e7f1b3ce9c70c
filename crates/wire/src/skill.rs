//! Skills as servers list them (SEP-2640): reads and writes the entries of `skills/list` and
//! `skills/get`.
//!
//! | method | params | result |
//! |---|---|---|
//! | `skills/list` | | `skills`: entries |
//! | `skills/get` | `uri` of a SKILL.md | `skill`: an entry |
//! | `resources/directory/read` | `uri` of a directory | `resources`: its direct children |
//!
//! The two lists have pages: `cursor` is an optional param, `nextCursor` an optional member of the
//! result.
use std::fmt;

use crate::hex::{from_hex, hex};
use crate::json::{Array, Json, JsonBuf, Member, Object};

/// The main file of a skill. The URI of an entry ends with it.
pub const MAIN_FILE: &str = "SKILL.md";
/// The most files of one skill, the main file included.
pub const MOST_FILES: usize = 512;
/// The most bytes of all files of one skill.
pub const MOST_BYTES: u64 = 16 << 20;
/// The media type of a directory that is listed as a child of another directory.
pub const DIRECTORY_TYPE: &str = "inode/directory";
/// The setting of the server's capability that announces `resources/directory/read`.
pub const DIRECTORY_READ: &str = "directoryRead";
/// Replaces the list of files where a server can't know it in advance.
const DYNAMIC: &str = "dynamic";
const DIGEST_PREFIX: &str = "sha256:";

/// A skill of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillEntry {
    /// The URI of its SKILL.md.
    pub uri: String,
    /// The front matter of its SKILL.md, as a JSON object.
    pub frontmatter: JsonBuf,
    pub resources: SkillResources,
}

/// The files of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkillResources {
    /// All files, each once, SKILL.md included.
    Files(Vec<SkillFile>),
    /// The server does not know the files in advance, so nothing can be verified.
    Dynamic,
}

/// A file of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFile {
    pub uri: String,
    /// The digest of its bytes.
    pub digest: Sha256Digest,
    /// Its length in bytes.
    pub size: u64,
}

/// A SHA-256 digest, written as `sha256:` and 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sha256Digest(pub [u8; 32]);

/// A problem with an entry, and the member that has it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{member}` {problem}")]
pub struct EntryError {
    pub member: String,
    pub problem: &'static str,
}

// === impl SkillEntry ===

impl SkillEntry {
    /// Reads an entry strictly: every member must be as the extension requires.
    pub fn read(entry: Json<'_>) -> Result<Self, EntryError> {
        let uri = entry.get("uri").string().ok_or_else(|| wrong("uri", "must be a string"))?.into_owned();
        let frontmatter = match entry.get("frontmatter") {
            Member::Value(front) if front.is_object() => front.to_buf(),
            _ => return Err(wrong("frontmatter", "must be an object")),
        };
        let resources = match entry.get("resources") {
            Member::Value(list) if list.is_array() => {
                let files = list.elements().enumerate().map(|(index, file)| SkillFile::read(file, index));
                SkillResources::Files(files.collect::<Result<_, _>>()?)
            }
            Member::Value(word) if word.string().as_deref() == Some(DYNAMIC) => SkillResources::Dynamic,
            _ => return Err(wrong("resources", "must be a list of files, or `dynamic`")),
        };
        Ok(Self { uri, frontmatter, resources })
    }

    pub fn write(&self) -> JsonBuf {
        let entry = Object::new().string("uri", &self.uri).json("frontmatter", self.frontmatter.as_json());
        match &self.resources {
            SkillResources::Dynamic => entry.string("resources", DYNAMIC),
            SkillResources::Files(files) => {
                let list = files.iter().fold(Array::new(), |list, file| list.json(file.write().as_json()));
                entry.json("resources", list.finish().as_json())
            }
        }
        .finish()
    }

    /// The URI of the skill's directory; `None` if the entry does not name a SKILL.md.
    pub fn directory(&self) -> Option<&str> {
        self.uri.strip_suffix(MAIN_FILE)?.strip_suffix('/').filter(|directory| !directory.ends_with('/'))
    }
}

// === impl SkillFile ===

impl SkillFile {
    fn read(file: Json<'_>, index: usize) -> Result<Self, EntryError> {
        let wrong = |member: &str, problem| wrong(&format!("resources[{index}].{member}"), problem);
        let uri = file.get("uri").string().ok_or_else(|| wrong("uri", "must be a string"))?.into_owned();
        let digest = file.get("digest").string().and_then(|text| Sha256Digest::parse(&text));
        let digest = digest.ok_or_else(|| wrong("digest", "must be `sha256:` and 64 lower-case digits"))?;
        let size = file.get("size").value().and_then(Json::integer).and_then(|size| u64::try_from(size).ok());
        let size = size.ok_or_else(|| wrong("size", "must be a number of bytes"))?;
        Ok(Self { uri, digest, size })
    }

    fn write(&self) -> JsonBuf {
        Object::new()
            .string("uri", &self.uri)
            .string("digest", &self.digest.to_string())
            .raw("size", &self.size.to_string())
            .finish()
    }
}

// === impl Sha256Digest ===

impl Sha256Digest {
    /// Parses the one valid spelling; returns `None` for everything else.
    pub fn parse(text: &str) -> Option<Self> {
        from_hex(text.strip_prefix(DIGEST_PREFIX)?.as_bytes()).map(Self)
    }
}

impl fmt::Display for Sha256Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{DIGEST_PREFIX}{}", hex(&self.0))
    }
}

fn wrong(member: &str, problem: &'static str) -> EntryError {
    EntryError { member: member.to_owned(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    fn read(text: &str) -> Result<SkillEntry, EntryError> {
        SkillEntry::read(Json::parse(text).unwrap())
    }

    #[test]
    fn an_entry_is_written_as_it_was_read() {
        for resources in [
            "\"dynamic\"".to_owned(),
            format!(r#"[{{"uri":"skill://a/SKILL.md","digest":"{DIGEST}","size":0}}]"#),
        ] {
            let text = format!(
                r#"{{"uri":"skill://a/SKILL.md","frontmatter":{{"name":"a","x":1.0}},"resources":{resources}}}"#
            );
            let entry = read(&text).unwrap();
            assert_eq!(entry.write().as_str(), text);
            assert_eq!(entry.directory(), Some("skill://a"));
        }
    }

    #[test]
    fn what_is_wrong_with_an_entry_is_named() {
        let file = |file: &str| format!(r#"{{"uri":"a","frontmatter":{{}},"resources":[{file}]}}"#);
        for (text, problem) in [
            ("{}".to_owned(), "`uri` must be a string"),
            (r#"{"uri":"a","frontmatter":[]}"#.to_owned(), "`frontmatter` must be an object"),
            (
                r#"{"uri":"a","frontmatter":{}}"#.to_owned(),
                "`resources` must be a list of files, or `dynamic`",
            ),
            (file("{}"), "`resources[0].uri` must be a string"),
            (
                file(&format!(r#"{{"uri":"b","digest":"{}","size":0}}"#, DIGEST.to_uppercase())),
                "`resources[0].digest` must be `sha256:` and 64 lower-case digits",
            ),
            (
                file(&format!(r#"{{"uri":"b","digest":"{DIGEST}","size":-1}}"#)),
                "`resources[0].size` must be a number of bytes",
            ),
        ] {
            assert_eq!(read(&text).unwrap_err().to_string(), problem);
        }
    }

    #[test]
    fn only_the_uri_of_a_main_file_has_a_directory() {
        let directory = |uri: &str| {
            let resources = SkillResources::Dynamic;
            let entry = SkillEntry { uri: uri.to_owned(), frontmatter: JsonBuf::empty_object(), resources };
            entry.directory().map(str::to_owned)
        };
        assert_eq!(directory("skill://a/b/SKILL.md").as_deref(), Some("skill://a/b"));
        for uri in ["skill://a", "skill:///SKILL.md", "skill://a/xSKILL.md", "SKILL.md"] {
            assert_eq!(directory(uri), None, "{uri}");
        }
    }
}
