//! URIs of resources in one canonical form, so that no other spelling evades a policy.
mod canonical; // the canonical form of a URI
mod error; // why a URI is rejected
mod escapes; // percent escapes
mod pattern; // URI patterns of a policy, in the spelling that URIs are matched in
mod scopes; // the declared scopes of resources
mod template; // URI templates, matched against URIs
mod template_text; // templates that are compared as text

pub use canonical::ResourceUri;
pub use error::UriError;
pub(crate) use pattern::normalised_pattern;
pub use scopes::ResourceScopes;
pub use template::{UriTemplate, Variables};
pub(crate) use template_text::TemplateText;

#[cfg(test)]
mod tests;
