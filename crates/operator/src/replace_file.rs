//! The only code that replaces a person's file. The file is old or new, never torn, even if the
//! program is killed at any moment. Changes that another program made meanwhile are not
//! overwritten.
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, fchown,
};
use std::path::{Path, PathBuf};

use crate::error::{ErrorKind, Explain};

/// The reason why a file was not replaced.
#[derive(Debug, thiserror::Error)]
pub enum ReplaceError {
    #[error("failed to {what} `{}`", path.display())]
    Io { what: &'static str, path: PathBuf, source: io::Error },
    #[error("`{}` was changed by another program meanwhile; nothing was written to it", .0.display())]
    Changed(PathBuf),
}

/// The steps of a replacement, in order. Each one is reported before it runs, so that tests can
/// stop there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Create,
    Write,
    Flush,
    Compare,
    Rename,
    FlushFolder,
}

impl Explain for ReplaceError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Outside
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Changed(_) => Some("a client that runs may have written it; try again".to_owned()),
            Self::Io { .. } => None,
        }
    }
}

impl ReplaceError {
    /// The cause, for an error message that already names the file.
    pub fn into_cause(self) -> io::Error {
        match self {
            Self::Io { source, .. } => source,
            Self::Changed(_) => io::Error::other("another program changed it meanwhile"),
        }
    }
}

/// Maximum size in bytes of a file that is read. People's settings and records are far smaller.
const MOST_BYTES: u64 = 64 << 20;

/// The content that the file must have when it is replaced.
#[derive(Debug, Clone, Copy)]
enum Expected<'a> {
    Anything,
    Missing,
    Text(&'a str),
}

/// Replaces the content `old` with `new`. Without `old`, the file must not exist. A link is
/// followed and its target is replaced. Mode and owner are kept; only its owner can access a new
/// file, or a folder created for it.
pub fn replace_file(path: &Path, old: Option<&str>, new: &str) -> Result<(), ReplaceError> {
    replace_with(path, old.map_or(Expected::Missing, Expected::Text), new, &mut |_| Ok(()))
}

/// Replaces one of our own files, whatever it contains.
pub fn overwrite_file(path: &Path, new: &str) -> Result<(), ReplaceError> {
    replace_with(path, Expected::Anything, new, &mut |_| Ok(()))
}

/// Resolves links. A path without a file is returned unchanged.
pub fn link_target(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Reads a file as text; `None` if the file does not exist.
pub fn read_if_any(path: &Path) -> io::Result<Option<String>> {
    let Some(file) = unless_missing(File::open(path))? else { return Ok(None) };
    let mut text = String::new();
    file.take(MOST_BYTES + 1).read_to_string(&mut text)?;
    match text.len() as u64 > MOST_BYTES {
        true => Err(io::Error::other(format!("it has more than {MOST_BYTES} bytes"))),
        false => Ok(Some(text)),
    }
}

fn unless_missing<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

fn replace_with(
    path: &Path,
    old: Expected<'_>,
    new: &str,
    step: &mut dyn FnMut(Step) -> io::Result<()>,
) -> Result<(), ReplaceError> {
    let failed = |what| move |source| ReplaceError::Io { what, path: path.to_owned(), source };
    let target = match old {
        Expected::Text(_) => fs::canonicalize(path).map_err(failed("find"))?,
        Expected::Missing | Expected::Anything => link_target(path),
    };
    let folder = target.parent().unwrap_or(Path::new("/"));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    if !matches!(old, Expected::Text(_)) {
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed("make the folder of"))?;
    }
    let temporary = Temporary::new(folder, &target);
    step(Step::Create).map_err(failed("prepare"))?;
    let meta = unless_missing(fs::metadata(&target)).map_err(failed("read"))?;
    let mut file = temporary.create().map_err(failed("write beside"))?;
    step(Step::Write).map_err(failed("write beside"))?;
    file.write_all(new.as_bytes()).map_err(failed("write beside"))?;
    if let Some(meta) = meta {
        file.set_permissions(fs::Permissions::from_mode(meta.mode() & 0o7777))
            .map_err(failed("keep the mode of"))?;
        let ours = file.metadata().map_err(failed("read"))?;
        if (ours.uid(), ours.gid()) != (meta.uid(), meta.gid()) {
            fchown(&file, Some(meta.uid()), Some(meta.gid())).map_err(failed("keep the owner of"))?;
        }
    }
    step(Step::Flush).map_err(failed("write"))?;
    file.sync_all().map_err(failed("write"))?;
    step(Step::Compare).map_err(failed("read"))?;
    let is_expected = match old {
        Expected::Anything => true,
        Expected::Missing => !fs::exists(&target).map_err(failed("read"))?,
        Expected::Text(old) => fs::read(&target).map_err(failed("read"))? == old.as_bytes(),
    };
    if !is_expected {
        return Err(ReplaceError::Changed(path.to_owned()));
    }
    step(Step::Rename).map_err(failed("replace"))?;
    fs::rename(&temporary.path, &target).map_err(failed("replace"))?;
    step(Step::FlushFolder).map_err(failed("write"))?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed("write"))
}

/// A temporary file beside the target; removed on drop unless it has replaced the target.
struct Temporary {
    path: PathBuf,
}

impl Temporary {
    /// Chooses a path with the process id, so that two commands cannot write to the same file. A
    /// killed process leaves its file behind.
    fn new(folder: &Path, target: &Path) -> Self {
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        Self { path: folder.join(format!(".{name}.overt-{}.tmp", std::process::id())) }
    }

    fn create(&self) -> io::Result<File> {
        // No living process uses this name, so an existing file is from a dead process with the
        // same id.
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(&self.path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    const STEPS: [Step; 6] =
        [Step::Create, Step::Write, Step::Flush, Step::Compare, Step::Rename, Step::FlushFolder];

    #[test]
    fn a_file_is_old_or_new_wherever_it_stops() {
        for stop in STEPS {
            let folder = tempfile::TempDir::new().unwrap();
            let path = folder.path().join("file");
            fs::write(&path, "old").unwrap();
            let mut at = |step| match step == stop {
                true => Err(io::Error::other("stopped")),
                false => Ok(()),
            };
            replace_with(&path, Expected::Text("old"), "new", &mut at).unwrap_err();
            let expected = if stop == Step::FlushFolder { "new" } else { "old" };
            assert_eq!(fs::read_to_string(&path).unwrap(), expected, "{stop:?}");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind: {stop:?}");
        }
    }

    #[test]
    fn what_somebody_else_wrote_stays() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "old").unwrap();
        let mut write = |step| match step {
            Step::Compare => fs::write(&path, "theirs"),
            _ => Ok(()),
        };
        let error = replace_with(&path, Expected::Text("old"), "new", &mut write).unwrap_err();
        assert!(matches!(error, ReplaceError::Changed(_)), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
    }

    #[test]
    fn a_link_stays_a_link_and_the_mode_stays() {
        let folder = tempfile::TempDir::new().unwrap();
        let (path, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        replace_file(&link, Some("old"), "new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o640);
    }

    #[test]
    fn a_new_file_is_for_its_owner_alone_and_takes_the_place_of_no_other() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("deep/file");
        replace_file(&path, None, "new").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o7777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        let error = replace_file(&path, None, "newer").unwrap_err();
        assert!(matches!(error, ReplaceError::Changed(_)), "{error}");
        overwrite_file(&path, "newest").unwrap();
        assert_eq!(read_if_any(&path).unwrap().as_deref(), Some("newest"));
        fs::remove_file(&path).unwrap();
        assert_eq!(read_if_any(&path).unwrap(), None);
        replace_file(&path, Some("newest"), "new").unwrap_err();
    }
}
