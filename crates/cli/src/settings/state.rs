//! The folder in which Overt keeps state between runs: tokens, and the definitions that a person
//! has seen. This module never touches the disk; the code that writes creates the folder.
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::Env;
use crate::error::Diagnostic;

/// The variable that names the state folder. It takes precedence over every default.
pub(crate) const OVERT_STATE_DIR: &str = "OVERT_STATE_DIR";

/// The state folder. It may not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StateDir(PathBuf);

/// The reason why the state folder cannot be found.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StateError {
    #[error("can't find the state folder: neither `{OVERT_STATE_DIR}` nor `HOME` is set")]
    Nowhere,
    #[error("`{OVERT_STATE_DIR}` is not an absolute path: {}", .0.display())]
    Relative(PathBuf),
}

impl Diagnostic for StateError {
    fn hint(&self) -> Option<String> {
        Some(format!("set `{OVERT_STATE_DIR}` to the absolute path of a folder of your own"))
    }
}

impl StateDir {
    /// Resolves `$OVERT_STATE_DIR`, or else `$XDG_STATE_HOME/overt`, or else
    /// `~/.local/state/overt`. An empty variable counts as unset. So does a relative
    /// `XDG_STATE_HOME`, as its specification requires.
    pub(crate) fn resolve(env: &Env) -> Result<Self, StateError> {
        let given = |name: &str| env.variable(name).filter(|value| !value.is_empty());
        if let Some(dir) = given(OVERT_STATE_DIR).map(PathBuf::from) {
            return if dir.is_absolute() { Ok(Self(dir)) } else { Err(StateError::Relative(dir)) };
        }
        let absolute = |value: &OsStr| Some(PathBuf::from(value)).filter(|path| path.is_absolute());
        let base = given("XDG_STATE_HOME").and_then(absolute);
        let base = base.or_else(|| Some(given("HOME").and_then(absolute)?.join(".local/state")));
        base.map(|base| Self(base.join("overt"))).ok_or(StateError::Nowhere)
    }

    /// The folder that an option names, or else the result of [`resolve`](Self::resolve).
    pub(crate) fn named_or_resolved(named: Option<PathBuf>, env: &Env) -> Result<Self, StateError> {
        match named {
            Some(dir) if dir.is_absolute() => Ok(Self(dir)),
            Some(dir) => Err(StateError::Relative(dir)),
            None => Self::resolve(env),
        }
    }

    /// Whether every environment with the same `HOME` resolves to this folder by default.
    pub(crate) fn is_usual(&self, env: &Env) -> bool {
        let home = env.variable("HOME").map(PathBuf::from);
        home.is_some_and(|home| home.join(".local/state/overt") == self.0)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_setting_wins() {
        let of = |variables: &[(&str, &str)]| {
            StateDir::resolve(&Env::of(variables)).map(|dir| dir.path().display().to_string()).ok()
        };
        let (own, xdg, home) =
            ((OVERT_STATE_DIR, "/own"), ("XDG_STATE_HOME", "/state"), ("HOME", "/home/me"));
        assert_eq!(of(&[own, xdg, home]).as_deref(), Some("/own"));
        assert_eq!(of(&[xdg, home]).as_deref(), Some("/state/overt"));
        assert_eq!(of(&[("XDG_STATE_HOME", "state"), home]).as_deref(), Some("/home/me/.local/state/overt"));
        assert_eq!(of(&[("XDG_STATE_HOME", ""), home]).as_deref(), Some("/home/me/.local/state/overt"));
        assert_eq!(of(&[(OVERT_STATE_DIR, "own"), home]), None);
        assert_eq!(of(&[]), None);
    }
}
