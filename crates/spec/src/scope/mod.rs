//! Permission scopes: `read`, `write:file`, `write:file:/a/b`.
/// A permission: an action, and optionally what kind of thing and which.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope(String);
