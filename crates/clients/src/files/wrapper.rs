//! How a client starts Overt in front of a server.

/// The command with which the client starts Overt.
#[derive(Debug, Clone)]
pub struct Wrapper {
    /// The absolute path of the program.
    pub program: String,
    /// The state folder; `None` for the default one.
    pub state_dir: Option<String>,
}

impl Wrapper {
    /// Returns the words of the command between the program and the server.
    pub fn words(&self, name: &str) -> Vec<String> {
        let mut words = vec!["run".to_owned()];
        if let Some(dir) = &self.state_dir {
            words.extend(["--state-dir".to_owned(), dir.clone()]);
        }
        words.extend(["--name".to_owned(), name.to_owned()]);
        words
    }
}
