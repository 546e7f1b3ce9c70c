//! How a folder compares names. On some file systems `.GIT` is `.git`, and `SECRET~1` is a longer
//! name. A file that is hidden under one name must be hidden under all of them (FS-20).
use std::os::fd::AsFd;

use rustix::fs::{fstatfs, ioctl_getflags};

/// How a file system matches names. Later variants match more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NameMatching {
    /// Names match exactly.
    Exact,
    /// Letter case is ignored.
    Folded,
    /// Letter case is ignored, and a name may be the short form of a longer one.
    Short,
}

/// The inode flag of a case-insensitive folder on ext4, f2fs or tmpfs.
const CASEFOLD: u32 = 0x4000_0000;

/// File systems that ignore case, by their `statfs` number, and those whose rules only the other
/// side knows.
const FOLDED: [u32; 6] = [
    0x2011_BAB0, // exfat
    0x4244,      // hfs
    0x482B,      // hfs+
    0x6573_5546, // fuse
    0x0102_1997, // 9p
    0x786F_4256, // shared folders of a virtual machine
];
/// File systems that also have short names.
const SHORT: [u32; 5] = [
    0x4D44,      // vfat
    0x5346_544E, // ntfs
    0x7366_746E, // ntfs3
    0xFF53_4D42, // cifs
    0xFE53_4D42, // smb2
];

/// Returns how the names in a folder are compared. If the system does not say, assumes the worst.
pub(super) fn names_in(folder: impl AsFd) -> NameMatching {
    let Ok(about) = fstatfs(&folder) else { return NameMatching::Short };
    // The number has 32 bits, but the field's type depends on the platform.
    let kind = u32::try_from(about.f_type as u64 & 0xFFFF_FFFF).unwrap_or(0);
    if SHORT.contains(&kind) {
        return NameMatching::Short;
    }
    let is_folded = ioctl_getflags(&folder).is_ok_and(|flags| flags.bits() & CASEFOLD != 0);
    if is_folded || FOLDED.contains(&kind) { NameMatching::Folded } else { NameMatching::Exact }
}

/// Whether a name in the path could be the short form of another.
pub(super) fn has_short_name(path: &str) -> bool {
    let is_short = |name: &str| {
        let stem = name.split('.').next().unwrap_or(name);
        stem.len() <= 8
            && stem
                .split_once('~')
                .is_some_and(|(_, rest)| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    path.contains('~') && path.split('/').any(is_short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fs_20_short_names_are_known() {
        for short in ["/r/ENV~1", "SECRET~1.TXT", "a/B~12/c"] {
            assert!(has_short_name(short), "{short}");
        }
        for name in ["~", "a~", "a~b", "backup~", "longlonglong~1", "/r/x"] {
            assert!(!has_short_name(name), "{name}");
        }
    }

    #[test]
    fn an_ordinary_folder_tells_names_apart() {
        let folder = tempfile::tempdir().unwrap();
        let handle = std::fs::File::open(folder.path()).unwrap();
        // The expected result comes from the file system itself: are two names that differ in case
        // two files?
        std::fs::write(folder.path().join("a"), "").unwrap();
        let is_exact = !folder.path().join("A").exists();
        assert_eq!(names_in(&handle) == NameMatching::Exact, is_exact);
    }
}
