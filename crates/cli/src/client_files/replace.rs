//! Replaces a file: it is old or new, never torn, also if the program is killed at any moment. What somebody else wrote
//! meanwhile is not overwritten.
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::failure::{Complaint, Exit};

/// A file was not replaced.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReplaceError {
    #[error("failed to {what} `{}`", path.display())]
    Io { what: &'static str, path: PathBuf, source: io::Error },
    #[error("`{}` was changed by somebody else meanwhile; nothing was written to it", .0.display())]
    Changed(PathBuf),
}

/// What happens before the file is replaced, in this order. Tests stop at each of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Create,
    Write,
    Flush,
    Compare,
    Rename,
    FlushFolder,
}

impl Complaint for ReplaceError {
    fn exit(&self) -> Exit {
        Exit::Outside
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Changed(_) => Some("a client that runs may have written it; try again".to_owned()),
            Self::Io { .. } => None,
        }
    }
}

/// Puts `new` in the place of `old`. A link is followed, and its target replaced. Mode and owner stay.
pub(crate) fn replace(path: &Path, old: &str, new: &str) -> Result<(), ReplaceError> {
    replace_with(path, old, new, &mut |_| Ok(()))
}

pub(super) fn replace_with(
    path: &Path,
    old: &str,
    new: &str,
    step: &mut dyn FnMut(Step) -> io::Result<()>,
) -> Result<(), ReplaceError> {
    let failed = |what| move |source| ReplaceError::Io { what, path: path.to_owned(), source };
    let target = fs::canonicalize(path).map_err(failed("find"))?;
    let folder = target.parent().unwrap_or(Path::new("/"));
    let temporary = Temporary::new(folder, &target);
    step(Step::Create).map_err(failed("prepare"))?;
    let meta = fs::metadata(&target).map_err(failed("read"))?;
    let mut file = temporary.create().map_err(failed("write beside"))?;
    step(Step::Write).map_err(failed("write beside"))?;
    file.write_all(new.as_bytes()).map_err(failed("write beside"))?;
    file.set_permissions(fs::Permissions::from_mode(meta.mode() & 0o7777))
        .map_err(failed("keep the mode of"))?;
    let ours = file.metadata().map_err(failed("read"))?;
    if (ours.uid(), ours.gid()) != (meta.uid(), meta.gid()) {
        std::os::unix::fs::fchown(&file, Some(meta.uid()), Some(meta.gid()))
            .map_err(failed("keep the owner of"))?;
    }
    step(Step::Flush).map_err(failed("write"))?;
    file.sync_all().map_err(failed("write"))?;
    step(Step::Compare).map_err(failed("read"))?;
    if fs::read(&target).map_err(failed("read"))? != old.as_bytes() {
        return Err(ReplaceError::Changed(path.to_owned()));
    }
    step(Step::Rename).map_err(failed("replace"))?;
    fs::rename(&temporary.path, &target).map_err(failed("replace"))?;
    step(Step::FlushFolder).map_err(failed("write"))?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed("write"))
}

/// A file beside the other one; removed unless it took its place.
struct Temporary {
    path: PathBuf,
}

impl Temporary {
    /// One name for each file, so that what a killed program left is used again.
    fn new(folder: &Path, target: &Path) -> Self {
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        Self { path: folder.join(format!(".{name}.overt-{}.tmp", std::process::id())) }
    }

    fn create(&self) -> io::Result<File> {
        // Nobody else has the name: whatever is there is from a process with our id that is dead.
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
            replace_with(&path, "old", "new", &mut at).unwrap_err();
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
        let error = replace_with(&path, "old", "new", &mut write).unwrap_err();
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
        replace(&link, "old", "new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o640);
    }
}
