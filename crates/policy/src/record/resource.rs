//! What is declared about one resource, or about the resources of one template (D-21).
use crate::scope::ScopeTemplate;

/// The author's declaration about one resource or template.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResourceRecord {
    /// Scopes that reading needs, with the variables of the template as arguments. If empty, a file
    /// needs `read:file:PATH` and anything else `read:SERVER:URI`.
    pub scopes: Vec<ScopeTemplate>,
    /// The kind of resource, such as `project`.
    pub resource_type: Option<String>,
    /// Whether its content changes.
    pub refreshable: Option<bool>,
    /// How many seconds the content may be cached.
    pub cache_duration: Option<u64>,
    /// Where a person can see the same content.
    pub web_equivalent: Option<String>,
    /// The API request that returns the same content.
    pub api_equivalent: Option<String>,
}
