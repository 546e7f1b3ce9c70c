//! Where the description of a server comes from: a manifest, or the server itself.
use std::path::{Path, PathBuf};

use overt_documents::manifest::Manifest;
use overt_policy::toml_file::FileError;

use super::source;
use crate::failure::{Complaint, Failure};

/// Where the description of the server comes from.
#[derive(Debug)]
pub(crate) enum DescriptionSource {
    Manifest(Box<ManifestFile>),
    /// From the server itself.
    ByServer,
}

/// A manifest that was read.
#[derive(Debug)]
pub(crate) struct ManifestFile {
    pub(crate) path: PathBuf,
    pub(crate) manifest: Manifest,
    /// It was found in the current directory, and no option named it.
    pub(crate) found: bool,
}

/// A manifest can't be used.
#[derive(Debug, thiserror::Error)]
#[error("failed to read the manifest `{}`", path.display())]
pub(crate) struct ManifestFileError {
    path: PathBuf,
    source: FileError,
}

impl Complaint for ManifestFileError {
    fn hint(&self) -> Option<String> {
        Some("docs/describe.md has the format; `overt describe --init` writes a first one".to_owned())
    }
}

/// The manifest that is used when none is named.
const DEFAULT: &str = "overt.toml";

impl DescriptionSource {
    /// The named manifest, or the one in the current directory.
    pub(super) fn find(named: Option<&Path>) -> Result<Self, Failure> {
        let (path, found) = match named {
            Some(path) => (path, false),
            None if Path::new(DEFAULT).is_file() => (Path::new(DEFAULT), true),
            None => return Ok(Self::ByServer),
        };
        Ok(Self::Manifest(Box::new(ManifestFile::read(path, found)?)))
    }
}

impl ManifestFile {
    /// The manifest that an option named.
    pub(super) fn named(path: &Path) -> Result<Self, Failure> {
        Self::read(path, false)
    }

    fn read(path: &Path, found: bool) -> Result<Self, Failure> {
        let text = source::read(path)?;
        let manifest =
            Manifest::parse(&text).map_err(|source| ManifestFileError { path: path.to_owned(), source })?;
        Ok(Self { path: path.to_owned(), manifest, found })
    }
}
