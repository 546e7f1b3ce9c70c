//! The record of one change: enough to undo it, and to check whether that is still possible.
use serde::{Deserialize, Serialize};

use super::super::access::AbsolutePath;
use super::super::file_digest::FileDigest;

/// The record of one change. It is written before the change is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) version: u32,
    pub(crate) id: String,
    pub(crate) tool: String,
    /// Milliseconds since 1970.
    pub(crate) at: u64,
    pub(crate) step: RecordedStep,
    /// The id of the change that this one undoes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) undoes: Option<String>,
    /// Bytes that are kept for the record: content that follows it, or a file or folder of its own.
    pub(crate) kept_bytes: u64,
    /// Why the old content was not kept, although the change removed it. A person agreed to that,
    /// and the change can't be undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) irreversible: Option<String>,
    /// Who made the change, and what it changed. Empty in records of the first version.
    #[serde(flatten)]
    pub(crate) origin: Origin,
}

/// Who made a change and what it changed, for display.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Origin {
    /// The name and version that the client reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) client: Option<String>,
    /// The project that the server was started in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) project: Option<String>,
    /// A short digest of the client's session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
    /// The roots that were served.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) roots: Vec<String>,
    /// A line for each changed file, such as `src/app.ts +4 -3`, up to a limit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) changes: Vec<String>,
}

/// The tool name in the records of what a person undid. No tool has this name.
pub(crate) const UNDO_BY_PERSON: &str = "overt undo";

/// The version of records that we write.
pub(crate) const VERSION: u32 = 1;

/// What a change does, with absolute paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub(crate) enum RecordedStep {
    /// A file got new content. The old content follows the record. Without `before`, the file did
    /// not exist.
    Put {
        path: String,
        before: Option<Before>,
        after: After,
    },
    /// Several files got new content as one change. The old contents are kept beside the record,
    /// one file each, named by its index.
    PutAll {
        puts: Vec<PutStep>,
    },
    /// Folders were created, the outermost first, and perhaps a file in the innermost.
    Grown {
        folders: Vec<String>,
        file: Option<(String, After)>,
    },
    /// An entry was removed. It is kept beside the record.
    Removed {
        path: String,
        print: String,
    },
    Moved {
        from: String,
        to: String,
        print: String,
    },
    /// A new entry was made from content that exists elsewhere: a copy, or something that was
    /// restored.
    Made {
        path: String,
        print: String,
    },
}

/// One file in a change of several files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PutStep {
    pub(crate) path: String,
    pub(crate) before: Before,
    pub(crate) after: After,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Before {
    pub(crate) size: u64,
    /// The digest of the old content, if that was read. The member has its name from when all
    /// digests were SHA-256. A server of that version may still run, and must not treat the record
    /// as damaged.
    #[serde(rename = "sha256")]
    pub(crate) digest: Option<FileDigest>,
    pub(crate) mode: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct After {
    pub(crate) size: u64,
    #[serde(rename = "sha256")]
    pub(crate) digest: FileDigest,
}

impl Record {
    /// Whether a person made the change, by undoing an earlier one.
    pub(crate) fn is_by_person(&self) -> bool {
        self.tool == UNDO_BY_PERSON
    }

    /// Whether a change has this path, a path inside it, or a folder that contains it.
    pub(crate) fn touches(&self, path: &AbsolutePath) -> bool {
        let mut paths = self.step.paths().into_iter().filter_map(AbsolutePath::from_system);
        paths.any(|other| path.inner(&other).is_some() || other.inner(path).is_some())
    }
}

impl RecordedStep {
    /// Returns every path of the change.
    pub(crate) fn paths(&self) -> Vec<&str> {
        match self {
            Self::Put { path, .. } | Self::Removed { path, .. } | Self::Made { path, .. } => vec![path],
            Self::PutAll { puts } => puts.iter().map(|put| put.path.as_str()).collect(),
            Self::Grown { folders, file } => {
                let file = file.iter().map(|(path, _)| path);
                folders.iter().chain(file).map(String::as_str).collect()
            }
            Self::Moved { from, to, .. } => vec![from, to],
        }
    }
}
