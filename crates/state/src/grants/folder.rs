//! The folder of the grants, with mode 0700. Its files have mode 0600 from the moment they are
//! created. Files that other users can access are rejected: a user who can write them could allow
//! everything.
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use overt_layers::grants::StoreError;
use overt_layers::seal::random_name;
use rustix::fs::OFlags;

#[derive(Debug, Clone)]
pub(super) struct Folder(PathBuf);

const KEY_BYTES: usize = 32;

impl Folder {
    pub(super) fn of(state: &Path) -> Self {
        Self(state.join("grants"))
    }

    pub(super) fn create(&self) -> Result<(), StoreError> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&self.0);
        let closed = made.and_then(|()| match fs::metadata(&self.0)?.mode() & 0o077 {
            0 => Ok(()),
            _ => fs::set_permissions(&self.0, Permissions::from_mode(0o700)),
        });
        closed.map_err(|error| failed("create", &self.0, &error))
    }

    pub(super) fn database(&self) -> PathBuf {
        self.0.join("grants.db")
    }

    /// The file whose time of change says that the store changed.
    pub(super) fn change_mark(&self) -> PathBuf {
        self.0.join("changed")
    }

    /// The folder of the locks of running processes.
    pub(super) fn alive(&self) -> PathBuf {
        self.0.join("alive")
    }

    /// Makes sure that the database exists, is not a link, and is closed to other users. SQLite
    /// gives its other files the same mode.
    pub(super) fn claim_database(&self) -> Result<(), StoreError> {
        let path = self.database();
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = closed_file(&mut options, &path).map_err(|error| failed("open", &path, &error))?;
        check_mode(&file, &path)
    }

    /// Returns the key that signs tokens. Creates it when it is first needed.
    pub(super) fn key(&self) -> Result<[u8; KEY_BYTES], StoreError> {
        let path = self.0.join("key");
        let broken = |error: io::Error| failed("read", &path, &error);
        let file = match closed_file(OpenOptions::new().read(true), &path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.write_key(&path).map_err(|error| failed("write", &path, &error))?;
                closed_file(OpenOptions::new().read(true), &path).map_err(broken)?
            }
            Err(error) => return Err(broken(error)),
        };
        check_mode(&file, &path)?;
        let mut bytes = Vec::with_capacity(KEY_BYTES);
        file.take(KEY_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(broken)?;
        <[u8; KEY_BYTES]>::try_from(bytes).map_err(|_| broken(io::Error::other("it has not 32 bytes")))
    }

    /// Writes a new key. If several processes write one at the same moment, the first key stays.
    fn write_key(&self, path: &Path) -> io::Result<()> {
        let mut key = [0; KEY_BYTES];
        getrandom::fill(&mut key).map_err(io::Error::other)?;
        let new = self.0.join(format!("key.{}", random_name()));
        let mut file = closed_file(OpenOptions::new().write(true).create_new(true), &new)?;
        let placed =
            file.write_all(&key).and_then(|()| file.sync_all()).and_then(|()| fs::hard_link(&new, path));
        fs::remove_file(&new)?;
        match placed {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            other => other,
        }
    }
}

/// Opens a file with mode 0600, and never through a link.
pub(super) fn closed_file(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    options.mode(0o600).custom_flags(OFlags::NOFOLLOW.bits().cast_signed()).open(path)
}

fn check_mode(file: &File, path: &Path) -> Result<(), StoreError> {
    let mode = file.metadata().map_err(|error| failed("look at", path, &error))?.mode() & 0o777;
    match mode & 0o077 {
        0 => Ok(()),
        _ => Err(StoreError {
            why: format!("others may use `{}` (mode {mode:o}); make it 600", path.display()),
        }),
    }
}

pub(super) fn failed(doing: &str, path: &Path, error: &io::Error) -> StoreError {
    StoreError { why: format!("failed to {doing} `{}`: {error}", path.display()) }
}
