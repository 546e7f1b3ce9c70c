//! The declaration of one setting: its name, its values, and who may set it where.
use serde_json::Value;

use super::kind::Kind;
use overt_policy::word::string_enum;

string_enum! {
    /// Where a setting may be set (H-16).
    pub enum FieldScope {
        /// In the file, the environment, a flag, or the configuration that a client sends.
        Configuration = "configuration",
        /// In the policy of a call.
        Policy = "policy",
        Any = "any",
    }

    /// Who may ask for a change (H-17).
    pub enum Audience {
        Human = "human",
        Llm = "llm",
        Any = "any",
    }
}

/// What a client's configuration can do to a setting that is not fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clients {
    /// The client that started the program replaces the value. A client over a network can only
    /// narrow it, unless all clients are trusted.
    Replace,
    /// Clients can only narrow the value, unless all clients are trusted.
    NarrowUnlessTrusted,
    /// Every client can only narrow the value. If no value is set, a list of scopes can't name a
    /// whole action.
    Narrow,
}

/// How a policy can change a setting. In every case the result allows no more than before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Narrowing {
    /// A limit: the smaller value applies. Of words, the one that is declared first applies.
    Min,
    /// A permission: it can only be switched off.
    Off,
    /// A restriction: it can only be switched on.
    On,
    /// A list of what is denied: the lists are combined.
    Union,
    /// A list of what is allowed: every list must allow it. The lists are kept side by side and
    /// never merged.
    All,
    /// A policy can't change it.
    Never,
}

/// A setting as its author declares it.
///
/// ```
/// use overt_settings::{DeclaredSettings, Kind, Narrowing, Setting};
/// use serde_json::json;
///
/// let most = Setting::new("max_results", Kind::Integer { min: 1, max: 1000 }, "How many results a search gives")
///     .default(json!(100))
///     .narrows(Narrowing::Min);
/// assert!(DeclaredSettings::new(vec![most.clone()]).is_ok());
///
/// let twice = DeclaredSettings::new(vec![most.clone(), most.default(json!(0))]).unwrap_err();
/// assert_eq!(twice.iter().count(), 2, "the key and the default");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    pub key: &'static str,
    pub kind: Kind,
    /// The default as JSON. `None` if there is no value by default, such as for a limit.
    pub default: Option<Value>,
    /// One line for people, without a full stop.
    pub description: &'static str,
    pub scope: FieldScope,
    pub audience: Audience,
    pub narrows: Narrowing,
    pub clients: Clients,
    /// The value is set when the program starts, and no client can change it.
    pub fixed: bool,
}

impl Setting {
    /// Declares a setting that everyone may set everywhere. No policy can change it until
    /// [`narrows`](Self::narrows) says how.
    pub fn new(key: &'static str, kind: Kind, description: &'static str) -> Self {
        Self {
            key,
            kind,
            default: None,
            description,
            scope: FieldScope::Any,
            audience: Audience::Any,
            narrows: Narrowing::Never,
            clients: Clients::Replace,
            fixed: false,
        }
    }

    #[must_use]
    pub fn default(self, default: Value) -> Self {
        Self { default: Some(default), ..self }
    }

    #[must_use]
    pub fn scope(self, scope: FieldScope) -> Self {
        Self { scope, ..self }
    }

    #[must_use]
    pub fn audience(self, audience: Audience) -> Self {
        Self { audience, ..self }
    }

    #[must_use]
    pub fn narrows(self, narrows: Narrowing) -> Self {
        Self { narrows, ..self }
    }

    #[must_use]
    pub fn clients(self, clients: Clients) -> Self {
        Self { clients, ..self }
    }

    /// Reserves the setting for the person who starts the program: no policy and no client can
    /// change it.
    #[must_use]
    pub fn fixed(self) -> Self {
        Self { scope: FieldScope::Configuration, audience: Audience::Human, fixed: true, ..self }
    }

    /// Returns the environment variable that sets it.
    pub fn variable(&self) -> String {
        format!("OVERT_{}", self.key.to_ascii_uppercase())
    }

    /// Returns the flag that sets it, without its dashes.
    pub fn flag(&self) -> String {
        self.key.replace('_', "-")
    }

    /// Returns whether its lists are kept side by side.
    pub(super) fn is_allow_list(&self) -> bool {
        self.kind.is_list() && self.narrows == Narrowing::All && self.kind != Kind::Regions
    }
}

impl Kind {
    /// Returns whether a policy can narrow a value of this kind in this way.
    pub(super) fn takes(self, narrows: Narrowing) -> bool {
        match self {
            Self::Flag => matches!(narrows, Narrowing::Off | Narrowing::On | Narrowing::Never),
            Self::Integer { .. }
            | Self::Bytes { .. }
            | Self::Duration { .. }
            | Self::Choice(_)
            | Self::Rate => {
                matches!(narrows, Narrowing::Min | Narrowing::Never)
            }
            Self::Text => narrows == Narrowing::Never,
            Self::Regions => matches!(narrows, Narrowing::All | Narrowing::Never),
            Self::Scopes | Self::Globs | Self::Texts => {
                matches!(narrows, Narrowing::Union | Narrowing::All | Narrowing::Never)
            }
        }
    }
}
