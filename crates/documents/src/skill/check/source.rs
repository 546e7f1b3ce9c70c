//! What is known of a skill before it is checked.

/// A skill: its main file, and the files beside it.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The name of its directory.
    pub directory: &'a str,
    /// The name of the main file as it is spelled: `SKILL.md` or `skill.md`.
    pub file: &'a str,
    /// What is in it.
    pub bytes: &'a [u8],
    pub files: &'a Files,
    /// Tokens of the instructions, if they were counted.
    pub tokens: Option<usize>,
}

/// The files of a skill.
#[derive(Debug, Clone, Default)]
pub struct Files {
    /// Paths below the directory with `/` between names, in order; the main file too.
    pub paths: Vec<String>,
    /// All of them together.
    pub bytes: u64,
    /// Symbolic links that leave the directory, or lead nowhere.
    pub bad_links: Vec<String>,
    /// There are more files, or deeper ones, than were looked at.
    pub uncounted: bool,
}

impl Files {
    /// Whether there is such a file or a directory with files.
    pub fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        let at = self.paths.partition_point(|known| known.as_str() < path);
        self.paths.get(at).is_some_and(|known| known == path)
            || self.paths[at..]
                .iter()
                .any(|known| known.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')))
    }
}
