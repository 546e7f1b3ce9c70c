//! The names of unfinished files and folders. They belong to the server, and clients don't see
//! them.
use super::facts::Facts;
use super::path::AbsolutePath;

/// A file or folder that is being written.
pub(crate) const PREFIX: &str = ".overt-tmp-";
/// A file that is swapped with the file that it replaces.
const SWAP_PREFIX: &str = ".overt-swap-";
/// An entry that is being deleted and waits for its last check.
const REMOVAL_PREFIX: &str = ".overt-gone-";
/// Hexadecimal digits after the prefix.
pub(crate) const DIGITS: usize = 24;
const SWAP_DIGITS: usize = 40;
const REMOVAL_DIGITS: usize = 40;

/// The name of a file that is swapped with another one. After a kill, the name tells what the file
/// is: the new file, the old file that the plan saw, or a file that another program wrote in
/// between (I-09).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SwapName {
    /// The inode of the new file.
    pub(crate) new_inode: u64,
    /// The fingerprint of the old file.
    pub(crate) old: u64,
}

impl SwapName {
    pub(crate) fn of(new: &Facts, old: &Facts) -> Self {
        Self { new_inode: new.inode, old: old.fingerprint() }
    }

    /// Whether the file at this name is neither the new file nor the old file that the plan saw.
    pub(crate) fn is_foreign(self, now: &Facts) -> bool {
        now.inode != self.new_inode && now.fingerprint() != self.old
    }

    /// `salt` makes the name unique.
    pub(crate) fn write(self, salt: u32) -> String {
        format!("{SWAP_PREFIX}{:016x}{:016x}{salt:08x}", self.new_inode, self.old)
    }

    pub(crate) fn read(name: &str) -> Option<Self> {
        let digits = name.strip_prefix(SWAP_PREFIX).filter(|digits| is_hex(digits, SWAP_DIGITS))?;
        let part = |from: usize| u64::from_str_radix(&digits[from..from + 16], 16).ok();
        Some(Self { new_inode: part(0)?, old: part(16)? })
    }
}

/// The name of an entry that is being deleted and waits for its last check. After a kill, the name
/// tells whether the entry is the one that the plan saw, or one that another program wrote in
/// between (I-09).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RemovalName {
    /// The first half of the fingerprint that the plan saw.
    print_start: u128,
}

impl RemovalName {
    /// Returns `None` if `print` is not the fingerprint of a tree.
    pub(crate) fn of(print: &str) -> Option<Self> {
        let print_start = u128::from_str_radix(print.get(..32)?, 16).ok()?;
        Some(Self { print_start })
    }

    /// `salt` makes the name unique.
    pub(crate) fn write(self, salt: u32) -> String {
        format!("{REMOVAL_PREFIX}{:032x}{salt:08x}", self.print_start)
    }

    pub(crate) fn read(name: &str) -> Option<Self> {
        Self::of(name.strip_prefix(REMOVAL_PREFIX).filter(|digits| is_hex(digits, REMOVAL_DIGITS))?)
    }
}

/// Whether a name is one of ours. No other program uses such names.
pub(crate) fn is_ours(name: &str) -> bool {
    name.strip_prefix(PREFIX).is_some_and(|digits| is_hex(digits, DIGITS))
        || name.strip_prefix(SWAP_PREFIX).is_some_and(|digits| is_hex(digits, SWAP_DIGITS))
        || name.strip_prefix(REMOVAL_PREFIX).is_some_and(|digits| is_hex(digits, REMOVAL_DIGITS))
}

fn is_hex(digits: &str, count: usize) -> bool {
    digits.len() == count && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a path leads to, or through, an unfinished file or folder.
pub(super) fn is_unfinished(path: &AbsolutePath) -> bool {
    // Checks for a prefix first, because nearly no path contains one.
    let text = path.as_str();
    [PREFIX, SWAP_PREFIX, REMOVAL_PREFIX].iter().any(|prefix| text.contains(prefix))
        && text.split('/').any(is_ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_names_are_ours() {
        assert!(is_ours(".overt-tmp-00000000000000000000000f"));
        let swap = SwapName { new_inode: 7, old: u64::MAX };
        let name = swap.write(3);
        assert!(is_ours(&name), "{name}");
        assert_eq!(SwapName::read(&name), Some(swap));
        let removal = RemovalName::of(&"ab".repeat(32)).unwrap();
        let gone = removal.write(9);
        assert!(is_ours(&gone), "{gone}");
        assert_eq!((RemovalName::read(&gone), RemovalName::read(&name)), (Some(removal), None));
        for other in [
            "",
            ".overt-tmp-",
            ".overt-tmp-x",
            "overt-tmp-000000000000000000000000",
            ".overt-tmp-00000000000000000000000g",
            &name[1..],
            &name[..name.len() - 1],
        ] {
            assert!(!is_ours(other), "{other}");
            assert_eq!(SwapName::read(other), None);
        }
    }
}
