//! The definitions of all tools of a server.
use crate::seal::digest;

/// A digest of the names of all tools and the digests of their definitions, in any order.
pub fn server_digest<'a>(tools: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut tools: Vec<[&str; 2]> = tools.map(|(name, definition)| [name, definition]).collect();
    tools.sort_unstable();
    digest(tools.as_flattened())
}
