//! What the journal says about one change: enough to undo it, and to see whether that is still
//! right.
use serde::{Deserialize, Serialize};

use super::super::file_digest::FileDigest;

/// One change. Written before the change is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) version: u32,
    pub(crate) id: String,
    pub(crate) tool: String,
    /// Milliseconds since 1970.
    pub(crate) at: u64,
    pub(crate) step: Step,
    /// The change that this one undoes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) undoes: Option<String>,
    /// What is kept beside the record: bytes that follow it, or a file or folder of its own.
    pub(crate) kept_bytes: u64,
    /// Why nothing is kept of what was there, which a person agreed to. The change can't be undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) irreversible: Option<String>,
    /// Who made it, and what it changed. Records of the first version have none of it.
    #[serde(flatten)]
    pub(crate) origin: Origin,
}

/// Who made a change and what it changed, for people.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Origin {
    /// The client's name and version, as it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) client: Option<String>,
    /// The project that the server was started in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) project: Option<String>,
    /// A short digest of the client's session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
    /// The folders that were served.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) roots: Vec<String>,
    /// A line for each change: `src/app.ts +4 -3`. The first ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) changes: Vec<String>,
}

/// The version that is written.
pub(crate) const VERSION: u32 = 1;

/// What a change does, with whole paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub(crate) enum Step {
    /// A file got new content. What was there follows the record; nothing was there without
    /// `before`.
    Put {
        path: String,
        before: Option<Before>,
        after: After,
    },
    /// Several files got new content as one change. What was there is kept beside the record, a
    /// file for each under its number.
    PutAll {
        puts: Vec<PutStep>,
    },
    /// Folders were made, the outermost first, and perhaps a file in the innermost.
    Grown {
        folders: Vec<String>,
        file: Option<(String, After)>,
    },
    /// What was there is kept beside the record.
    Removed {
        path: String,
        print: String,
    },
    Moved {
        from: String,
        to: String,
        print: String,
    },
    /// Something new, made of what is elsewhere.
    Made {
        path: String,
        print: String,
    },
}

/// One file of a change of several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PutStep {
    pub(crate) path: String,
    pub(crate) before: Before,
    pub(crate) after: After,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Before {
    pub(crate) size: u64,
    /// Of what was small enough to be looked at as a whole. The member is called as it was when all
    /// digests were SHA-256: a server of that version that still runs must not take the record for
    /// damaged.
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

impl Step {
    /// Every path that it is about.
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
