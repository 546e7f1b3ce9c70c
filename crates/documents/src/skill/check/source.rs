//! The input of a check.

/// A skill: its main file, and facts about all of its files.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The name of its directory.
    pub directory: &'a str,
    /// The name of the main file as it is on disk: `SKILL.md` or `skill.md`.
    pub file: &'a str,
    /// The content of the main file.
    pub bytes: &'a [u8],
    pub files: &'a Files,
    /// The number of tokens of the instructions; `None` if they were not counted.
    pub tokens: Option<usize>,
}

/// The files of a skill.
#[derive(Debug, Clone, Default)]
pub struct Files {
    /// Sorted paths below the directory with `/` between names, including the main file.
    pub paths: Vec<String>,
    /// The total size in bytes.
    pub bytes: u64,
    /// Symbolic links that leave the directory or lead nowhere.
    pub bad_links: Vec<String>,
    /// Whether there are more files, or deeper ones, than were examined.
    pub uncounted: bool,
}

impl Files {
    /// Returns whether this file exists, or a directory of this name with files.
    pub fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        let at = self.paths.partition_point(|known| known.as_str() < path);
        self.paths.get(at).is_some_and(|known| known == path)
            || self.paths[at..]
                .iter()
                .any(|known| known.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')))
    }
}
