//! The metadata of an open handle.
use rustix::fs::{FileType, Stat};

/// Metadata of a file, read once from the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) kind: Kind,
    pub(crate) size: u64,
    pub(crate) mode: u32,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) links: u64,
    pub(crate) device: u64,
    pub(crate) inode: u64,
    /// Nanoseconds since 1970.
    pub(crate) modified: i128,
    /// When anything about the file changed, its name and mode included.
    pub(crate) changed: i128,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Folder,
    Link,
    /// A pipe, socket or device, with its description. It is never opened for reading.
    Other(&'static str),
}

impl Facts {
    pub(crate) fn of(stat: &Stat) -> Self {
        let time = |seconds: i64, nanos: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
        Self {
            kind: Kind::of(FileType::from_raw_mode(stat.st_mode)),
            size: u64::try_from(stat.st_size).unwrap_or(0),
            mode: stat.st_mode & 0o7777,
            uid: stat.st_uid,
            gid: stat.st_gid,
            links: stat.st_nlink,
            device: stat.st_dev,
            inode: stat.st_ino,
            modified: time(stat.st_mtime, stat.st_mtime_nsec as i64),
            changed: time(stat.st_ctime, stat.st_ctime_nsec as i64),
        }
    }

    /// Whether the file is unchanged. A new name for it does not count as a change.
    pub(crate) fn is_unchanged(&self, before: &Self) -> bool {
        Self { changed: before.changed, ..*self } == *before
    }

    /// Hashes everything that [`is_unchanged`](Self::is_unchanged) compares.
    pub(crate) fn fingerprint(&self) -> u64 {
        let Self { kind, size, mode, uid, gid, links, device, inode, modified, changed: _ } = self;
        let text = format!("{kind:?} {size} {mode} {uid} {gid} {links} {device} {inode} {modified}");
        // FNV-1a is enough: the hash protects no secret.
        text.bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }

    /// Whether both describe the same file on disk, under any name.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

impl Kind {
    pub(crate) fn of(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Link,
            FileType::Fifo => Self::Other("a pipe"),
            FileType::Socket => Self::Other("a socket"),
            FileType::CharacterDevice | FileType::BlockDevice => Self::Other("a device"),
            FileType::Unknown => Self::Other("of an unknown kind"),
        }
    }

    /// The word for results.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Folder => "directory",
            Self::Link => "symlink",
            Self::Other(_) => "other",
        }
    }
}
