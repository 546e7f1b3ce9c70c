//! The metadata of a file: its mode, extended attributes and access lists. Set-user-id,
//! set-group-id and capabilities belong to the content that they were granted for. New content and
//! copies lose them, as in the kernel (I-04).
use std::os::fd::AsFd;

use rustix::io::Errno;

use super::disk::Disk;

/// Which attributes a file gets from another file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attributes {
    /// All attributes, for a file that is only moved.
    All,
    /// All except capabilities, for new content or a copy.
    Unprivileged,
}

/// Longest list of attribute names of a file that the system returns, in bytes.
const MOST_NAMES: usize = 64 << 10;
/// Largest attribute value that the system accepts, in bytes.
const MOST_VALUE: usize = 64 << 10;

const CAPABILITY: &[u8] = b"security.capability";
const ACCESS_LIST: &[u8] = b"system.posix_acl_";

/// Copies the attributes of a file or folder to another one: labels, access lists and user
/// attributes. Removes an access list that the target inherited from its parent folder, if the
/// source has none.
pub(super) fn copy(disk: &Disk, from: impl AsFd, to: impl AsFd, which: Attributes) -> Result<(), Errno> {
    let names = list(&from)?;
    let mut value = Vec::with_capacity(0);
    for name in split(&names).filter(|name| which == Attributes::All || *name != CAPABILITY) {
        value.clear();
        value.reserve(MOST_VALUE);
        match rustix::fs::fgetxattr(&from, name, rustix::buffer::spare_capacity(&mut value)) {
            Ok(_) => {}
            Err(Errno::NODATA) => continue,
            Err(errno) => return Err(errno),
        }
        match disk.set_attribute(&to, name, &value) {
            Ok(()) => {}
            // Only the system may set this attribute, or the file system does not support it. The
            // owner would not miss it, so it need not be kept.
            Err(Errno::PERM | Errno::NOTSUP) if !is_owners(name) => {}
            Err(errno) => return Err(errno),
        }
    }
    let has = |wanted: &[u8]| split(&names).any(|name| name == wanted);
    for name in split(&list(&to)?).filter(|name| name.starts_with(ACCESS_LIST) && !has(name)) {
        disk.remove_attribute(&to, name)?;
    }
    Ok(())
}

/// Returns the mode for a file that gets other content: without set-user-id, and without
/// set-group-id if the group may execute the file.
pub(super) fn unprivileged(mode: u32) -> u32 {
    const SET_USER: u32 = 0o4000;
    const SET_GROUP: u32 = 0o2000;
    const GROUP_MAY_START: u32 = 0o0010;
    let mode = mode & !SET_USER;
    if mode & GROUP_MAY_START == 0 { mode } else { mode & !SET_GROUP }
}

/// Whether the file's owner would miss this attribute.
fn is_owners(name: &[u8]) -> bool {
    name.starts_with(b"user.") || name.starts_with(ACCESS_LIST) || name == CAPABILITY
}

fn list(file: impl AsFd) -> Result<Vec<u8>, Errno> {
    let mut names = Vec::with_capacity(1024);
    loop {
        match rustix::fs::flistxattr(&file, rustix::buffer::spare_capacity(&mut names)) {
            Ok(_) => return Ok(names),
            Err(Errno::RANGE) if names.capacity() < MOST_NAMES => names.reserve(MOST_NAMES),
            Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(Vec::new()),
            Err(errno) => return Err(errno),
        }
    }
}

fn split(names: &[u8]) -> impl Iterator<Item = &[u8]> {
    names.split(|byte| *byte == 0).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i_04_the_mode_without_the_right_to_act_as_somebody_else() {
        for (mode, wanted) in [
            (0o644, 0o644),
            (0o4755, 0o755),
            (0o2755, 0o755),
            (0o6755, 0o755),
            // Without group execution, this bit marks mandatory locking and grants no rights.
            (0o2644, 0o2644),
            (0o1777, 0o1777),
        ] {
            assert_eq!(unprivileged(mode), wanted, "{mode:o}");
        }
    }
}
