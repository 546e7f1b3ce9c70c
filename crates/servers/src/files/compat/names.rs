//! The servers whose tool names ours can use.

/// The server whose tool names are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compat {
    /// `@modelcontextprotocol/server-filesystem`.
    Official,
}
