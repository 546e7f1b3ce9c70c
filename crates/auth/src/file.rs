//! Tokens in a file of the state folder. The file has mode 0600 from its creation, is in a folder
//! of mode 0700, and is always replaced as a whole.
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, OFlags, flock};
use url::Url;

use super::issued_tokens::IssuedTokens;
use super::store::{StoreError, TokenStore, key_of};

/// The tokens for one server, in one file.
#[derive(Debug, Clone)]
pub struct FileStore {
    dir: PathBuf,
    key: String,
}

/// The most bytes of a token file.
const MAX_BYTES: u64 = 256 << 10;

impl FileStore {
    /// The store of tokens for `url`, in the folder `auth` of the state folder. Nothing is created
    /// until there are tokens to save.
    pub fn new(state: &Path, url: &Url) -> Self {
        Self { dir: state.join("auth"), key: key_of(url) }
    }

    fn path(&self) -> PathBuf {
        self.dir.join(format!("{}.json", self.key))
    }

    /// Creates the folder, accessible only to our user.
    fn make_dir(&self) -> Result<(), StoreError> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&self.dir);
        let closed = made.and_then(|()| match fs::metadata(&self.dir)?.mode() & 0o077 {
            0 => Ok(()),
            _ => fs::set_permissions(&self.dir, Permissions::from_mode(0o700)),
        });
        closed.map_err(|source| failed("make the folder", &self.dir, source))
    }

    fn write(&self, text: &str) -> Result<(), StoreError> {
        self.make_dir()?;
        // The writer holds the lock, or is the only one that logs in. The process id separates it
        // from other writers.
        let part = self.dir.join(format!(".{}.{}", self.key, std::process::id()));
        let _ = fs::remove_file(&part);
        let written = create(&part).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        });
        let placed = written.and_then(|()| fs::rename(&part, self.path()));
        placed.map_err(|source| {
            let _ = fs::remove_file(&part);
            failed("write", &self.path(), source)
        })
    }
}

impl TokenStore for FileStore {
    fn load(&self) -> Result<Option<IssuedTokens>, StoreError> {
        let path = self.path();
        let file = match open(&path) {
            Ok(file) => file,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(source) => return Err(failed("open", &path, source)),
        };
        let mode = file.metadata().map_err(|source| failed("look at", &path, source))?.mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(StoreError::Open { path, mode });
        }
        let mut text = String::new();
        let read = file.take(MAX_BYTES).read_to_string(&mut text);
        read.map_err(|source| failed("read", &path, source))?;
        // The parser's error would quote parts of the file.
        serde_json::from_str(&text).map(Some).map_err(|_| StoreError::Content { path })
    }

    fn save(&self, issued: &IssuedTokens) -> Result<(), StoreError> {
        let text = serde_json::to_string_pretty(issued)
            .map_err(|error| failed("write", &self.path(), error.into()))?;
        self.write(&text)
    }

    fn clear(&self) -> Result<bool, StoreError> {
        let path = self.path();
        match fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if is_absent(&error) => Ok(false),
            Err(source) => Err(failed("remove", &path, source)),
        }
    }

    fn try_lock(&self) -> Result<Option<Box<dyn Send>>, StoreError> {
        self.make_dir()?;
        let path = self.dir.join(format!("{}.lock", self.key));
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
            .open(&path)
            .map_err(|source| failed("open", &path, source))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Box::new(file))),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(failed("lock", &path, error.into())),
        }
    }

    fn place(&self) -> String {
        self.path().display().to_string()
    }
}

fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600).custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
    options.open(path)
}

/// Opens a file. Fails on a symbolic link, and does not block.
fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

/// Whether the file, or its folder, does not exist.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn failed(what: &'static str, path: &Path, source: io::Error) -> StoreError {
    StoreError::File { what, path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issued() -> IssuedTokens {
        IssuedTokens {
            server: "https://mcp.example.com/mcp".into(),
            client_id: "c".into(),
            client_secret: Some("s3cret".into()),
            issuer: None,
            access_token: "acc3ss".into(),
            refresh_token: Some("r3fresh".into()),
            scopes: vec!["a".into()],
            expires_at: Some(5),
        }
    }

    fn store(dir: &Path) -> FileStore {
        FileStore::new(&dir.join("state"), &Url::parse("https://mcp.example.com/mcp#x").unwrap())
    }

    #[test]
    fn tokens_are_for_us_alone() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        assert!(store.load().unwrap().is_none() && !store.clear().unwrap());
        store.save(&issued()).unwrap();
        store.save(&issued()).unwrap();
        assert_eq!(store.load().unwrap(), Some(issued()));
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
        assert_eq!((mode(&store.path()), mode(&store.dir)), (0o600, 0o700));
        assert_eq!(fs::read_dir(&store.dir).unwrap().count(), 1, "no parts are left behind");
        assert!(store.clear().unwrap() && store.load().unwrap().is_none());
        for secret in ["s3cret", "acc3ss", "r3fresh"] {
            assert!(!format!("{:?} {store:?}", issued()).contains(secret));
        }
    }

    #[test]
    fn a_file_that_others_can_read_is_not_trusted() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        store.save(&issued()).unwrap();
        fs::set_permissions(store.path(), Permissions::from_mode(0o640)).unwrap();
        assert!(matches!(store.load(), Err(StoreError::Open { mode: 0o640, .. })));
        fs::set_permissions(store.path(), Permissions::from_mode(0o600)).unwrap();
        fs::write(store.path(), r#"{"access_token":"acc3ss""#).unwrap();
        let error = store.load().unwrap_err();
        assert!(!format!("{error} {error:?}").contains("acc3ss"));
        fs::remove_file(store.path()).unwrap();
        std::os::unix::fs::symlink("/dev/zero", store.path()).unwrap();
        assert!(matches!(store.load(), Err(StoreError::File { what: "open", .. })));
    }

    #[test]
    fn an_open_folder_is_closed() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        fs::create_dir_all(&store.dir).unwrap();
        fs::set_permissions(&store.dir, Permissions::from_mode(0o755)).unwrap();
        store.save(&issued()).unwrap();
        assert_eq!(fs::metadata(&store.dir).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn one_process_renews_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        let guard = store.try_lock().unwrap();
        assert!(guard.is_some() && store.try_lock().unwrap().is_none());
        drop(guard);
        assert!(store.try_lock().unwrap().is_some());
    }

    #[test]
    fn one_server_has_one_key() {
        let key = |url| key_of(&Url::parse(url).unwrap());
        assert_eq!(key("https://EXAMPLE.com:443/mcp"), key("https://example.com/mcp#x"));
        assert_ne!(key("https://example.com/mcp"), key("https://example.com/mcp2"));
        assert_ne!(key("https://example.com/mcp?t=1"), key("https://example.com/mcp?t=2"));
    }
}
