//! Limits on what is read and kept. `overt_wire::skill` has the limits of a single skill.

/// Maximum number of skills served.
pub(super) const MOST_SKILLS: usize = 20_000;
/// Maximum number of directories searched, below all roots together.
pub(super) const MOST_DIRECTORIES: usize = 200_000;
/// Maximum depth of directories below a root. Deeper directories are not searched.
pub(super) const MOST_DEPTH: usize = 24;
/// Maximum number of entries in one directory.
pub(super) const MOST_ENTRIES: usize = 50_000;
/// Maximum number of files counted in one skill. A skill with more than
/// `overt_wire::skill::MOST_FILES` files is not served.
pub(super) const MOST_COUNTED: usize = 2_000;
/// Bytes of the files of all skills together. They are read once to compute digests.
pub(super) const MOST_BYTES: u64 = 2 << 30;
/// Bytes of the SKILL.md files of all skills together. They are kept in memory.
pub(super) const MOST_KEPT: u64 = 256 << 20;
/// Maximum size in bytes of a document beside the skills.
pub(super) const MOST_DOCUMENT: u64 = 1 << 20;
/// Maximum number of findings kept; further ones are dropped.
pub(super) const MOST_FINDINGS: usize = 1_000;
/// Maximum number of watched folders.
pub(super) const MOST_WATCHED: usize = 65_536;
