//! Values from one source: a file, the environment, flags, or a client.
use std::fmt;

use super::setting_value::SettingValue;

/// The source of a value, weakest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Origin {
    #[default]
    Default,
    File {
        path: String,
        line: Option<usize>,
    },
    /// The name of the environment variable.
    Environment(String),
    /// The flag with its dashes.
    Flag(String),
    /// The configuration that the client sent.
    Client,
    /// A policy that narrowed the value, by the name of its author.
    Policy(String),
}

/// Values from one source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceValues(pub(super) Vec<(&'static str, SettingValue, Origin)>);

// === impl Origin ===

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line: Some(line) } => write!(f, "{path}:{line}"),
            Self::File { path, line: None } => f.write_str(path),
            Self::Environment(name) => write!(f, "${name}"),
            Self::Flag(name) => f.write_str(name),
            Self::Client => f.write_str("client configuration"),
            Self::Policy(whose) => write!(f, "policy of {whose}"),
        }
    }
}

// === impl SourceValues ===

impl SourceValues {
    /// Sets a value. `key` must be that of a declared setting; its last value counts.
    pub fn set(&mut self, key: &'static str, held: SettingValue, origin: Origin) {
        self.0.push((key, held, origin));
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
