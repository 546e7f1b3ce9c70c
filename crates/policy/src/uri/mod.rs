//! URIs of resources in one canonical form, so that no other spelling evades a policy.
mod canonical; // parses and normalises
mod error; // why a URI is rejected
mod escapes; // percent escapes
mod pattern; // normalises the URI patterns of a policy
mod scopes; // the declared scopes of resources
mod template; // matches URIs against URI templates
mod template_text; // templates that are compared as text

pub use canonical::ResourceUri;
pub use error::UriError;
pub(crate) use pattern::normalised_pattern;
pub use scopes::ResourceScopes;
pub use template::{UriTemplate, Variables};
pub(crate) use template_text::TemplateText;

#[cfg(test)]
mod tests;
