//! The source of a server's description: a manifest, or the server itself.
use std::path::{Path, PathBuf};

use overt_documents::manifest::Manifest;
use overt_settings::config::is_configuration;
use overt_settings::toml_file::FileError;

use super::source;
use crate::error::{CommandError, user_error};
use crate::output::shell_word;

/// The source of the server's description.
#[derive(Debug)]
pub(crate) enum DescriptionSource {
    Manifest(Box<ManifestFile>),
    /// The server describes itself.
    ByServer {
        /// A file that has the name of a manifest but is a configuration of Overt.
        passed_over: Option<PathBuf>,
    },
}

/// A manifest that was read, with its path.
#[derive(Debug)]
pub(crate) struct ManifestFile {
    pub(crate) path: PathBuf,
    pub(crate) manifest: Manifest,
    /// Whether it was found in the current directory rather than named by an option.
    pub(crate) found: bool,
}

/// The manifest that is used if none is named.
const DEFAULT: &str = "overt.toml";

impl DescriptionSource {
    /// Returns the named manifest, or the one in the current directory.
    pub(super) fn find(named: Option<&Path>) -> Result<Self, CommandError> {
        let (path, found) = match named {
            Some(path) => (path, false),
            None if Path::new(DEFAULT).is_file() => (Path::new(DEFAULT), true),
            None => return Ok(Self::ByServer { passed_over: None }),
        };
        // A manifest and a configuration of Overt can have the same file name.
        if found && is_configuration(&source::read(path)?) {
            return Ok(Self::ByServer { passed_over: Some(path.to_owned()) });
        }
        Ok(Self::Manifest(Box::new(ManifestFile::read(path, found)?)))
    }
}

impl ManifestFile {
    /// Reads the manifest that an option named.
    pub(super) fn named(path: &Path) -> Result<Self, CommandError> {
        Self::read(path, false)
    }

    fn read(path: &Path, found: bool) -> Result<Self, CommandError> {
        let text = source::read(path)?;
        if is_configuration(&text) {
            return Err(user_error(format!(
                "`{}` configures Overt; it is not the manifest of a server",
                path.display()
            ))
            .hinted(format!(
                "`overt describe --init --out FILE` writes a first manifest; `overt policy check {}` checks a configuration",
                shell_word(&path.to_string_lossy())
            )));
        }
        let manifest = Manifest::parse(&text).map_err(|source: FileError| {
            user_error(format!("failed to read the manifest `{}`", path.display()))
                .caused_by(source)
                .hinted("docs/describe.md has the format; `overt describe --init` writes a first one")
        })?;
        Ok(Self { path: path.to_owned(), manifest, found })
    }
}
