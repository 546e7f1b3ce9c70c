//! The environment and the terminals, read once at startup. No other code in the program reads
//! them.
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::path::PathBuf;

/// Filter for our own log lines, in the form of `tracing-subscriber` (`overt_transport=debug`).
pub(crate) const OVERT_LOG: &str = "OVERT_LOG";

/// Environment variables and terminals, as they were at startup.
#[derive(Debug, Clone, Default)]
pub(crate) struct Env {
    variables: BTreeMap<OsString, OsString>,
    pub(crate) stdin_is_terminal: bool,
    pub(crate) stdout_is_terminal: bool,
    pub(crate) stderr_is_terminal: bool,
}

impl Env {
    pub(crate) fn read() -> Self {
        Self {
            variables: std::env::vars_os().collect(),
            stdin_is_terminal: std::io::stdin().is_terminal(),
            stdout_is_terminal: std::io::stdout().is_terminal(),
            stderr_is_terminal: std::io::stderr().is_terminal(),
        }
    }

    /// A variable's value as text. A value that is not UTF-8 counts as unset.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.variable(name).and_then(OsStr::to_str)
    }

    /// A variable's value, unchanged.
    pub(crate) fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// All variables, to pass to a child process.
    pub(crate) fn all(&self) -> impl Iterator<Item = (OsString, OsString)> {
        self.variables.iter().map(|(name, value)| (name.clone(), value.clone()))
    }

    /// The path of this program, to start it again or to write it into configurations.
    pub(crate) fn program() -> PathBuf {
        std::env::current_exe().unwrap_or_else(|_| PathBuf::from("overt"))
    }

    /// A path that starts this very program again, even if its file was replaced meanwhile.
    pub(crate) fn own_executable() -> PathBuf {
        if cfg!(target_os = "linux") { PathBuf::from("/proc/self/exe") } else { Self::program() }
    }

    /// A copy of this environment with one variable changed.
    pub(crate) fn with(&self, name: &str, value: impl Into<OsString>) -> Self {
        let mut env = self.clone();
        env.variables.insert(name.into(), value.into());
        env
    }

    /// A copy of this environment in which no person can be asked.
    pub(crate) fn without_a_person(&self) -> Self {
        Self { stdin_is_terminal: false, ..self.clone() }
    }

    /// The program that opens pages. `None` without a display, because it would then take over the
    /// terminal.
    pub(crate) fn browser(&self) -> Option<PathBuf> {
        let has_display = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| self.variable(name).is_some());
        let program =
            if cfg!(target_os = "macos") { Some("open") } else { has_display.then_some("xdg-open") };
        program.map(PathBuf::from)
    }

    /// Whether a person can be asked a question.
    pub(crate) fn can_ask(&self) -> bool {
        self.stdin_is_terminal && self.stderr_is_terminal
    }
}

#[cfg(test)]
impl Env {
    pub(crate) fn of(variables: &[(&str, &str)]) -> Self {
        let variables = variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
        Self { variables, ..Self::default() }
    }
}
