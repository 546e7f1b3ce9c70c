//! The digest of all tool definitions of a server.
use crate::seal::digest;

/// Returns a digest of the names of all tools and the digests of their definitions. The order of
/// the tools does not matter.
pub fn server_digest<'a>(tools: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut tools: Vec<[&str; 2]> = tools.map(|(name, definition)| [name, definition]).collect();
    tools.sort_unstable();
    digest(tools.as_flattened())
}
