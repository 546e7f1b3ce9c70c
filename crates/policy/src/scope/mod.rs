//! Permission scopes: `read`, `write:file`, `write:file:/a/b`. Only this module decides which scope
//! covers which.
mod error; // the error of a scope and its byte position
mod action; // the actions
mod grammar; // the written form of a scope
mod value; // a scope as one canonical value
mod set; // sets of scopes, searched by component
mod template; // the scopes that a call needs, depending on its arguments
#[cfg(test)]
mod tests;

pub use action::Action;
pub use error::ScopeError;
pub use grammar::kind_of;
pub use set::ScopeSet;
pub use template::ScopeTemplate;
pub use value::Scope;
