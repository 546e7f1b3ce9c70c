//! Special file systems, in which the kernel exposes itself and its devices (FS-11). Such a root is
//! refused, and such a mount inside a root is hidden.
use std::path::Path;

/// Types of file systems that contain no user files.
const KINDS: &[&str] = &[
    "proc",
    "sysfs",
    "devtmpfs",
    "devpts",
    "cgroup",
    "cgroup2",
    "debugfs",
    "tracefs",
    "securityfs",
    "bpf",
    "configfs",
    "efivarfs",
    "binfmt_misc",
    "mqueue",
    "pstore",
    "fusectl",
    "rpc_pipefs",
    "nsfs",
];
/// Their usual places, which count whatever is mounted there.
const PLACES: &[&str] = &["/proc", "/sys", "/dev"];

/// The mounted file systems.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Special {
    mounts: Vec<Mount>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Mount {
    place: String,
    is_special: bool,
}

impl Special {
    /// Reads the current mounts. If the system does not report them, only the usual places count.
    pub(crate) fn read() -> Self {
        Self::of(&std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default())
    }

    fn of(mounts: &str) -> Self {
        Self { mounts: mounts.lines().filter_map(mount).collect() }
    }

    /// Whether the folder is in a special file system.
    pub(crate) fn holds(&self, folder: &str) -> bool {
        let around = self.mounts.iter().filter(|mount| Path::new(folder).starts_with(&mount.place));
        // Of several mounts at one place, the last one is visible.
        let Some(mount) = around.max_by_key(|mount| mount.place.len()) else { return is_usual(folder) };
        mount.is_special || (is_usual(folder) && !is_its_own(&mount.place))
    }

    /// The special file systems inside the folder.
    pub(crate) fn within<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a str> {
        let mounted = self.mounts.iter().filter(|mount| mount.is_special).map(|mount| mount.place.as_str());
        let all = mounted.chain(PLACES.iter().copied());
        all.filter(move |place| Path::new(place).starts_with(folder))
    }
}

fn is_usual(folder: &str) -> bool {
    PLACES.iter().any(|place| Path::new(folder).starts_with(place))
}

/// Whether a separate file system is mounted in a usual place, such as `/dev/shm`.
fn is_its_own(place: &str) -> bool {
    is_usual(place) && !PLACES.contains(&place)
}

/// Parses a line such as `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw` into the
/// mount's place and kind.
fn mount(line: &str) -> Option<Mount> {
    let (before, after) = line.split_once(" - ")?;
    let kind = after.split(' ').next()?;
    Some(Mount { place: unescaped(before.split(' ').nth(4)?), is_special: KINDS.contains(&kind) })
}

/// A space in a name is written as `\\040`.
fn unescaped(text: &str) -> String {
    ["\\040", "\\011", "\\012", "\\134"]
        .into_iter()
        .zip([" ", "\t", "\n", "\\"])
        .fold(text.to_owned(), |text, (written, meant)| text.replace(written, meant))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fs_11_what_is_no_files_is_found_where_it_is_mounted() {
        let mounts = "22 1 0:21 / /jail/proc rw - proc proc rw\n\
                      23 1 0:22 / /jail/a\\040b rw shared:1 - sysfs none rw\n\
                      24 1 8:1 / /jail/data rw - ext4 /dev/sda1 rw\n\
                      25 1 0:5 / /dev rw - tmpfs dev rw\n\
                      26 1 0:6 / /dev/shm rw - tmpfs shm rw\n";
        let special = Special::of(mounts);
        assert_eq!(special.within("/jail").collect::<Vec<_>>(), ["/jail/proc", "/jail/a b"]);
        assert!(special.holds("/jail/proc/self") && special.holds("/dev/pts") && special.holds("/sys"));
        assert!(!special.holds("/dev/shm/x"));
        assert!(!special.holds("/jail/process") && !special.holds("/jail"));
        assert!(Special::read().holds("/proc/self"));
    }
}
