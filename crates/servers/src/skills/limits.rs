//! How much is read and kept. What one skill may have is in `overt_wire::skill`.

/// Skills that are served.
pub(super) const MOST_SKILLS: usize = 20_000;
/// Directories below all roots that are looked into.
pub(super) const MOST_DIRECTORIES: usize = 200_000;
/// Nested deeper, nothing is looked for.
pub(super) const MOST_DEPTH: usize = 24;
/// Entries of one directory.
pub(super) const MOST_ENTRIES: usize = 50_000;
/// Files of one skill that are counted; a skill with more than `overt_wire::skill::MOST_FILES` is
/// not served.
pub(super) const MOST_COUNTED: usize = 2_000;
/// Bytes of the files of all skills together, which are read once to compute digests.
pub(super) const MOST_BYTES: u64 = 2 << 30;
/// Bytes of the SKILL.md of all skills together, which are kept in memory.
pub(super) const MOST_KEPT: u64 = 256 << 20;
/// Bytes of a document beside the skills.
pub(super) const MOST_DOCUMENT: u64 = 1 << 20;
/// Findings that are kept; more are counted.
pub(super) const MOST_FINDINGS: usize = 1_000;
/// Folders whose changes are noticed.
pub(super) const MOST_WATCHED: usize = 65_536;
