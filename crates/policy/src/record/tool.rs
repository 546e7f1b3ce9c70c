//! What is declared about one tool: the hints of the protocol, the dashdash object and the
//! card are all derived from it.
use serde_json::Value;

use crate::rate::RateLimit;
use crate::word::string_enum;

string_enum! {
    /// The worst that a call can do, from the least to the most. The plan of a call can show that
    /// it does worse; then the call is judged by its plan.
    pub enum Effect {
        /// Changes nothing.
        Read = "read",
        /// Changes something that the server keeps, and destroys nothing.
        Mutating = "mutating",
        /// Has an effect on something outside of the server's own data, such as sending a message.
        External = "external",
        /// May destroy something.
        Destructive = "destructive",
    }

    /// What dashdash calls the effect.
    pub enum Operation {
        Read = "read",
        Write = "write",
        Delete = "delete",
        Admin = "admin",
    }

    /// How much about people a call may give away.
    pub enum PiiExposure {
        None = "none",
        Low = "low",
        Medium = "medium",
        High = "high",
    }

    /// What a call has to do with secrets.
    pub enum SecretsExposure {
        None = "none",
        ReadsSecretMaterial = "reads_secret_material",
        WritesSecretMaterial = "writes_secret_material",
        HandlesKeys = "handles_keys",
    }
}

/// The author's declaration about one tool. Undeclared facts are left out of the documents, and so
/// is a document that requires them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolRecord {
    pub effect: Option<Effect>,
    /// Set for a destructive tool that administers rather than deletes. `None` if it follows from
    /// the effect.
    pub operation: Option<Operation>,
    /// Whether the tool reaches outside systems. `None` if it follows from the effect and the
    /// external systems.
    pub open_world: Option<bool>,
    /// Whether calling it twice with the same arguments does no more than calling it once.
    pub idempotent: Option<bool>,
    /// Whether it is idempotent if the caller passes a key.
    pub idempotent_with_key: Option<bool>,
    /// Set for a mutating tool that may replace what was there, although that can be restored.
    /// Clients are then not told that the tool only adds.
    pub overwrites: bool,
    pub reversible: Option<bool>,
    /// The tool of the same server that undoes this one.
    pub reverse_method: Option<String>,
    /// Further effects, such as `sends a webhook`.
    pub side_effects: Vec<String>,
    /// Third-party systems that a call reaches.
    pub external_systems: Vec<String>,
    pub category: Option<String>,
    /// A command with `{parameter}` placeholders.
    pub cli_equivalent: Option<String>,
    /// A request of an HTTP API: `METHOD /path`.
    pub api_equivalent: Option<String>,
    /// The tool's own rate limit; `None` for the server's.
    pub rate_limit: Option<RateLimit>,
    pub examples: Vec<Example>,
    pub errors: Vec<KnownError>,
    /// Permission scopes that a call needs.
    pub scopes: Vec<String>,
    /// One line that tells people what a call will do, with `{parameter}` placeholders.
    pub intent_template: Option<String>,
    /// Whether a call can be tried without effect.
    pub preview: bool,
    pub pii_exposure: Option<PiiExposure>,
    pub secrets_exposure: Option<SecretsExposure>,
    /// Whether a person must approve each call. A destructive tool always requires it.
    pub human_approval: Option<bool>,
    /// When the tool refuses by design. `None`: not declared; empty: never.
    pub refusal_modes: Option<Vec<String>>,
    /// The version of the tool; `None` for the server's.
    pub version: Option<String>,
}

/// A call and its result.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    pub description: String,
    pub input: Value,
    pub output: Option<Value>,
}

impl Example {
    /// Builds an example from JSON text. Many values that are built one by one make a program large
    /// and slow to start. A text that is not JSON becomes a string, which matches no tool's schema.
    pub fn from_json(description: impl Into<String>, input: &str, output: &str) -> Self {
        let value = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
        Self { description: description.into(), input: value(input), output: Some(value(output)) }
    }
}

/// An error that the tool can return. Its code is a word for programs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KnownError {
    pub code: String,
    pub description: String,
    pub resolution: String,
}

/// The hints of the protocol about a tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hints {
    pub read_only: Option<bool>,
    pub destructive: Option<bool>,
    pub idempotent: Option<bool>,
    pub open_world: Option<bool>,
}

impl Hints {
    /// Reads the `annotations` of a tool.
    pub fn read(annotations: Option<&Value>) -> Self {
        let hint = |name: &str| annotations?.get(name)?.as_bool();
        Self {
            read_only: hint("readOnlyHint"),
            destructive: hint("destructiveHint"),
            idempotent: hint("idempotentHint"),
            open_world: hint("openWorldHint"),
        }
    }
}

impl ToolRecord {
    pub fn new(effect: Effect) -> Self {
        Self { effect: Some(effect), ..Self::default() }
    }

    /// Returns the effect in the terms of dashdash: `read`, `write`, `delete` or `admin`.
    pub fn operation(&self) -> Option<Operation> {
        self.operation.or_else(|| {
            Some(match self.effect? {
                Effect::Read => Operation::Read,
                Effect::Mutating | Effect::External => Operation::Write,
                Effect::Destructive => Operation::Delete,
            })
        })
    }

    /// Returns the protocol's hints. Whether an external effect destroys something is unknown, so
    /// that hint is absent and the protocol's careful default applies. For the protocol, everything
    /// that does not only add is destructive; for Overt, only what can't be restored. So a tool
    /// that overwrites has the hint, but not the effect (G-11).
    pub fn hints(&self) -> Hints {
        let reaches_out = self.effect == Some(Effect::External) || !self.external_systems.is_empty();
        Hints {
            read_only: self.effect.map(|effect| effect == Effect::Read),
            destructive: match self.effect {
                Some(Effect::Read) => Some(false),
                Some(Effect::Mutating) => Some(self.overwrites),
                Some(Effect::Destructive) => Some(true),
                Some(Effect::External) | None => None,
            },
            idempotent: self.idempotent,
            open_world: self.open_world.or(reaches_out.then_some(true)),
        }
    }

    /// Returns whether a person must approve each call. A destructive tool always requires it
    /// (C-05).
    pub fn needs_approval(&self) -> bool {
        self.human_approval.unwrap_or(false) || self.effect == Some(Effect::Destructive)
    }
}
