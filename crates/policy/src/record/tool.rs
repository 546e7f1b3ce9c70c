//! What is declared about one tool: the hints of the protocol, the dashdash object and the
//! card all follow from it.
use serde_json::Value;

use crate::rate::RateLimit;
use crate::word::string_enum;

string_enum! {
    /// The worst that a call can do, from the least to the most.
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

/// One tool. What is not declared is left out of the documents, and so is a document that needs it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolRecord {
    pub effect: Option<Effect>,
    /// For a destructive tool that administers rather than deletes; follows from the effect
    /// otherwise.
    pub operation: Option<Operation>,
    /// Reaches things outside; follows from the effect and the external systems, if nothing is
    /// declared.
    pub open_world: Option<bool>,
    /// Calling it twice with the same arguments does no more than calling it once.
    pub idempotent: Option<bool>,
    /// It is idempotent if the caller passes a key.
    pub idempotent_with_key: Option<bool>,
    /// For a mutating tool: what was there may be gone afterwards, although it can be had again.
    /// Clients are not told that it only adds.
    pub overwrites: bool,
    pub reversible: Option<bool>,
    /// The tool of the same server that undoes it.
    pub reverse_method: Option<String>,
    /// What else happens, such as `sends a webhook`.
    pub side_effects: Vec<String>,
    /// Systems of others that a call reaches.
    pub external_systems: Vec<String>,
    pub category: Option<String>,
    /// A command with `{parameter}` placeholders.
    pub cli_equivalent: Option<String>,
    /// A request of an HTTP API: `METHOD /path`.
    pub api_equivalent: Option<String>,
    /// Where it differs from the server's.
    pub rate_limit: Option<RateLimit>,
    pub examples: Vec<Example>,
    pub errors: Vec<KnownError>,
    /// Permission scopes that a call needs.
    pub scopes: Vec<String>,
    /// One line that says what a call will do, with `{parameter}` placeholders.
    pub intent_template: Option<String>,
    /// A call can be tried without effect.
    pub preview: bool,
    pub pii_exposure: Option<PiiExposure>,
    pub secrets_exposure: Option<SecretsExposure>,
    /// A person must agree to each call; always so for a destructive tool.
    pub human_approval: Option<bool>,
    /// When the tool refuses by design. None: not declared; empty: it never does.
    pub refusal_modes: Option<Vec<String>>,
    /// The server's, if nothing is declared.
    pub version: Option<String>,
}

/// A call and what comes back.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    pub description: String,
    pub input: Value,
    pub output: Option<Value>,
}

impl Example {
    /// Of JSON as text. Many values that are built one by one make a program large, and slow to
    /// start. A text that is not JSON becomes a string, which fits the schema of no tool.
    pub fn from_json(description: impl Into<String>, input: &str, output: &str) -> Self {
        let value = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
        Self { description: description.into(), input: value(input), output: Some(value(output)) }
    }
}

/// An error that the tool answers with, by its word for programs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KnownError {
    pub code: String,
    pub description: String,
    pub resolution: String,
}

/// The hints of the protocol.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hints {
    pub read_only: Option<bool>,
    pub destructive: Option<bool>,
    pub idempotent: Option<bool>,
    pub open_world: Option<bool>,
}

impl Hints {
    /// `annotations` of a tool.
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

    /// What dashdash calls it: `read`, `write`, `delete` or `admin`.
    pub fn operation(&self) -> Option<Operation> {
        self.operation.or_else(|| {
            Some(match self.effect? {
                Effect::Read => Operation::Read,
                Effect::Mutating | Effect::External => Operation::Write,
                Effect::Destructive => Operation::Delete,
            })
        })
    }

    /// The hints that follow. Whether an external effect destroys something is not known, so
    /// nothing is said: the protocol's default is the careful one. To the protocol only what adds
    /// does not destroy; to us only what can't be had again is destroyed. So a tool that overwrites
    /// has the hint, and not the effect (G-11).
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

    /// Whether a person must agree to each call; a destructive tool always needs it (C-05).
    pub fn needs_approval(&self) -> bool {
        self.human_approval.unwrap_or(false) || self.effect == Some(Effect::Destructive)
    }
}
