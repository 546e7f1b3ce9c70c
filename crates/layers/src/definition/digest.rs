//! The digests by which grants, trust and pins identify the definitions that a person saw. Each has
//! its own type, so that none is taken for another.
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use overt_wire::json::Json;

use super::{Texts, canonical_definition};
use crate::seal::digest;

/// The digest of a tool's definition. Reordering unordered parts does not change it: a server may
/// write them in another order at each start.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DefinitionDigest(Arc<str>);

/// The digest of the names of all tools of a server and of their definitions. The order of the
/// tools does not matter.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerDigest(Arc<str>);

impl DefinitionDigest {
    pub fn of(tool: Json<'_>) -> Self {
        Self(digest(&[&canonical_definition(tool, Texts::Unordered)]).into())
    }
}

impl ServerDigest {
    pub fn of<'a>(tools: impl Iterator<Item = (&'a str, &'a DefinitionDigest)>) -> Self {
        let mut tools: Vec<[&str; 2]> = tools.map(|(name, definition)| [name, definition]).collect();
        tools.sort_unstable();
        Self(digest(tools.as_flattened()).into())
    }
}

/// Implements what both digests can do: they are shown, and read as the text that stores keep.
macro_rules! text {
    ($($digest:ty),*) => {$(
        impl Deref for $digest {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $digest {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self)
            }
        }

        impl fmt::Debug for $digest {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self)
            }
        }
    )*};
}

text!(DefinitionDigest, ServerDigest);
