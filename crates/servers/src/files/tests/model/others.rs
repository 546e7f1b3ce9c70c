//! Changes by other programs to the same tree, with ordinary file operations.
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use super::plan::Other;
use super::tree::LABEL;

/// Makes the change, if it is possible. `content` is what the other program writes.
pub(super) fn do_it(place: &Path, other: &Other, content: &str) {
    let root = place.join("root");
    let is_plain = |path: &str| root.join(path).symlink_metadata().is_ok_and(|about| about.is_file());
    match other {
        Other::Save(path) => drop(save(place, path, content)),
        Other::Scribble(path) if is_plain(path) => fs::write(root.join(path), content).unwrap(),
        Other::Chmod(path, mode) if is_plain(path) => {
            fs::set_permissions(root.join(path), fs::Permissions::from_mode(*mode)).unwrap();
        }
        Other::Label(path, value) if is_plain(path) => {
            // Not every file system has extended attributes.
            let _ = rustix::fs::setxattr(root.join(path), LABEL, &[*value], rustix::fs::XattrFlags::empty());
        }
        Other::HardLink(from, to) if is_plain(from) => drop(fs::hard_link(root.join(from), root.join(to))),
        Other::SymLink(path, target) => drop(symlink(target, root.join(path))),
        Other::Remove(path) => {
            let _ = fs::remove_file(root.join(path)).or_else(|_| fs::remove_dir_all(root.join(path)));
        }
        Other::Scribble(_) | Other::Chmod(..) | Other::Label(..) | Other::HardLink(..) => {}
    }
}

/// Saves a file through a temporary file and a rename. Returns whether it was possible; a folder is
/// not replaced.
pub(super) fn save(place: &Path, path: &str, content: &str) -> bool {
    let (root, beside) = (place.join("root"), place.join("beside"));
    fs::write(&beside, content).unwrap();
    // A link in the folder's path could lead anywhere.
    let mut folders = Path::new(path).ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    let is_real =
        folders.all(|folder| root.join(folder).symlink_metadata().is_ok_and(|about| about.is_dir()));
    is_real && fs::rename(&beside, root.join(path)).is_ok()
}
