//! Under whose names the server can be started.

/// Whose names the tools have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compat {
    /// `@modelcontextprotocol/server-filesystem`.
    Official,
}
