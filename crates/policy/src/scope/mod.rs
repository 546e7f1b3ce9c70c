//! Permission scopes: `read`, `write:file`, `write:file:/a/b`. What covers what is decided here and nowhere else.
mod error; // what is wrong with a scope, and at which byte
mod action; // what is done
mod grammar; // how a scope is written
mod value; // a scope: one canonical value however it was written
mod set; // many scopes, asked in the depth of the question
mod template; // the scopes that a call needs, by its arguments
#[cfg(test)]
mod tests;

pub use action::Action;
pub use error::ScopeError;
pub use grammar::kind_of;
pub use set::ScopeSet;
pub use template::ScopeTemplate;
pub use value::Scope;
