//! URIs of resources in one canonical form, so that no other spelling passes a policy.
mod canonical; // parses and normalises
mod error; // why a URI is refused
mod escapes; // percent escapes
mod pattern; // patterns of a policy, in the spelling that URIs are matched in
mod scopes; // scopes that reading a resource needs
mod template; // URI templates against URIs
mod template_text; // templates are compared as text

pub use canonical::ResourceUri;
pub use error::UriError;
pub(crate) use pattern::normalised_pattern;
pub use scopes::ResourceScopes;
pub use template::{UriTemplate, Variables};
pub(crate) use template_text::TemplateText;

#[cfg(test)]
mod tests;
