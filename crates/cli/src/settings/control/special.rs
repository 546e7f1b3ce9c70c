//! File systems that are not files: what the kernel tells about itself and its devices (FS-11). A
//! root that is one is refused, and where a root holds one it is hidden.
use std::path::Path;

/// Kinds of file systems that hold no files of users.
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
/// Where they are, whatever is mounted there.
const PLACES: &[&str] = &["/proc", "/sys", "/dev"];

/// What is mounted where.
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
    /// As the system is now. Where it does not tell, the usual places count.
    pub(crate) fn read() -> Self {
        Self::of(&std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default())
    }

    fn of(mounts: &str) -> Self {
        Self { mounts: mounts.lines().filter_map(mount).collect() }
    }

    /// Whether the folder is one, or in one.
    pub(crate) fn holds(&self, folder: &str) -> bool {
        let around = self.mounts.iter().filter(|mount| Path::new(folder).starts_with(&mount.place));
        // Of those at one place the last one is seen.
        let Some(mount) = around.max_by_key(|mount| mount.place.len()) else { return is_usual(folder) };
        mount.is_special || (is_usual(folder) && !is_its_own(&mount.place))
    }

    /// Those within the folder.
    pub(crate) fn within<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a str> {
        let mounted = self.mounts.iter().filter(|mount| mount.is_special).map(|mount| mount.place.as_str());
        let all = mounted.chain(PLACES.iter().copied());
        all.filter(move |place| Path::new(place).starts_with(folder))
    }
}

fn is_usual(folder: &str) -> bool {
    PLACES.iter().any(|place| Path::new(folder).starts_with(place))
}

/// Something of its own that is mounted in such a place, such as `/dev/shm`.
fn is_its_own(place: &str) -> bool {
    is_usual(place) && !PLACES.contains(&place)
}

/// `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`: where, and of which kind.
fn mount(line: &str) -> Option<Mount> {
    let (before, after) = line.split_once(" - ")?;
    let kind = after.split(' ').next()?;
    Some(Mount { place: unescaped(before.split(' ').nth(4)?), is_special: KINDS.contains(&kind) })
}

/// A blank in a name is written as `\\040`.
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
