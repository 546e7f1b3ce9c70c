//! The parts of a policy. Each is a conjunction, sorted and without duplicates, so that equivalent
//! policies are equal.
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use jsonschema::Validator;
use serde_json::Value;

use crate::globs::Globs;
use crate::limits::Limits;
use crate::record::Effect;
use crate::scope::{Scope, ScopeSet};

/// A parsed policy. The default contains nothing and so allows everything.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Policy {
    pub tools: NameLists,
    pub resources: NameLists,
    pub prompts: NameLists,
    pub scopes: ScopeLists,
    /// The strongest effect that is allowed.
    pub effect: Option<Effect>,
    pub arguments: Vec<Constraint>,
    pub limits: Limits,
    /// The values for each field that the server declares. All of them apply.
    pub domain: BTreeMap<String, Vec<Value>>,
}

/// Patterns over names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameLists {
    /// A name must match every one of these lists.
    pub allow: Vec<Globs>,
    /// A name must match none of these lists.
    pub deny: Vec<Globs>,
}

/// Lists of scopes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScopeLists {
    /// A scope must be covered by every one of these sets.
    pub allow: Vec<ScopeSet>,
    /// A scope must not overlap this set.
    pub deny: ScopeSet,
    /// The entries of `allow` in the order of the document, for the places of findings.
    pub(super) written: WrittenScopes,
}

/// The scopes as written. They are not part of the policy's meaning, so they always compare equal.
#[derive(Debug, Clone, Default)]
pub(super) struct WrittenScopes(pub(super) Vec<Scope>);

/// A schema that the arguments of some tools must satisfy.
#[derive(Clone)]
pub struct Constraint {
    pub tools: Globs,
    /// The schema as it was written.
    pub schema: String,
    pub(super) validator: Arc<Validator>,
}

impl Policy {
    /// Returns the empty policy, the neutral element of [`Policy::meet`].
    pub fn top() -> Self {
        Self::default()
    }

    pub fn is_top(&self) -> bool {
        self.tools.is_empty()
            && self.resources.is_empty()
            && self.prompts.is_empty()
            && self.scopes.is_empty()
            && self.effect.is_none()
            && self.arguments.is_empty()
            && self.limits.is_empty()
            && self.domain.is_empty()
    }
}

impl NameLists {
    pub fn is_empty(&self) -> bool {
        self.allow.is_empty() && self.deny.is_empty()
    }
}

impl ScopeLists {
    /// Returns the entries of `allow` in the order of the document.
    pub fn written(&self) -> impl Iterator<Item = &Scope> {
        self.written.0.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.allow.is_empty() && self.deny.is_empty()
    }
}

impl PartialEq for WrittenScopes {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for WrittenScopes {}

// === impl Constraint ===

impl Constraint {
    /// Returns what is wrong with the arguments; `None` if they satisfy the constraint.
    pub fn problem(&self, arguments: &Value) -> Option<String> {
        if self.validator.is_valid(arguments) {
            return None;
        }
        let error = self.validator.iter_errors(arguments).next();
        Some(error.map_or_else(|| "they don't satisfy it".to_owned(), |error| super::schema::phrase(&error)))
    }

    fn order(&self) -> (&Globs, &str) {
        (&self.tools, &self.schema)
    }
}

impl PartialEq for Constraint {
    fn eq(&self, other: &Self) -> bool {
        self.order() == other.order()
    }
}

impl Eq for Constraint {}

impl PartialOrd for Constraint {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Constraint {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.order().cmp(&other.order())
    }
}

impl fmt::Debug for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Constraint").field("tools", &self.tools).field("schema", &self.schema).finish()
    }
}
