//! What is declared about one resource, or about those of one template (D-21).
use crate::scope::ScopeTemplate;

/// One resource.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResourceRecord {
    /// Scopes that reading it needs, with the variables of its template as arguments. Without them
    /// a file needs `read:file:PATH` and anything else `read:SERVER:URI`.
    pub scopes: Vec<ScopeTemplate>,
    /// What kind of thing it is, such as `project`.
    pub resource_type: Option<String>,
    /// Whether its content changes.
    pub refreshable: Option<bool>,
    /// For how many seconds its content may be kept.
    pub cache_duration: Option<u64>,
    /// Where a person sees the same thing.
    pub web_equivalent: Option<String>,
    /// Which request of an API gives the same thing.
    pub api_equivalent: Option<String>,
}
