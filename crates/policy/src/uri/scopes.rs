//! The scopes that a manifest declares for resources, such as `read:db:{table}` for the template
//! `db://{table}/rows`.
use super::{ResourceUri, UriTemplate};
use crate::record::Declaration;
use crate::scope::{Scope, ScopeError, ScopeTemplate};

/// The declared scopes of resources.
#[derive(Debug, Clone, Default)]
pub struct ResourceScopes(Vec<DeclaredScopes>);

#[derive(Debug, Clone)]
struct DeclaredScopes {
    template: UriTemplate,
    scopes: Vec<ScopeTemplate>,
}

impl ResourceScopes {
    /// Collects the declared scopes. Invalid templates are left out: reading the manifest reports
    /// them as errors.
    pub fn of(declaration: &Declaration) -> Self {
        let with_scopes = declaration.resources.iter().filter(|(_, record)| !record.scopes.is_empty());
        let declared = with_scopes.filter_map(|(uri, record)| {
            let template = UriTemplate::parse(uri).ok()?;
            Some(DeclaredScopes { template, scopes: record.scopes.clone() })
        });
        Self(declared.collect())
    }

    /// Returns the scopes that reading this resource needs; empty if none are declared. If several
    /// templates match, all of them apply.
    pub fn of_uri(&self, uri: &ResourceUri) -> Result<Vec<Scope>, ScopeError> {
        let mut needed = Vec::new();
        for declared in &self.0 {
            let variables =
                [uri.as_str(), uri.readable()].into_iter().find_map(|text| declared.template.matches(text));
            let Some(variables) = variables else { continue };
            let arguments = variables.into_iter().map(|(name, value)| (name, value.into())).collect();
            let arguments = serde_json::Value::Object(arguments);
            for scope in &declared.scopes {
                needed.extend(scope.fill(&arguments)?);
            }
        }
        Ok(needed)
    }
}
