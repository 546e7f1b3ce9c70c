//! The tools in a list from the server, by name, and duplicate names with different definitions.
//! Pure and bounded.
use std::collections::BTreeMap;

use overt_wire::json::Json;
use overt_wire::view::Tool;

use super::definition::Definition;

/// The most tools that are recorded for one server.
pub(super) const MAX_TOOLS: usize = 2_000;
/// The longest name that is recorded, in bytes.
pub(super) const MAX_NAME: usize = 256;

/// The tools of a list or of one of its pages. Tools without a name are ignored, because they can't
/// be called.
#[derive(Debug, Clone)]
pub struct Listing {
    pub(super) tools: BTreeMap<String, ListedDefinition>,
    /// Whether another page follows.
    pub(super) more: bool,
    /// Whether the list has all tools of the server, so that other tools count as removed.
    pub(super) is_complete: bool,
    /// The number of tools that exceed the limit, or whose names are too long.
    pub(super) left_out: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ListedDefinition {
    Once(Definition),
    /// Two different definitions under one name: a client can't know which one is meant.
    Twice(Definition, Definition),
}

impl Listing {
    /// Reads a list from its beginning. `more` says whether another page follows.
    pub fn of<'a>(tools: impl IntoIterator<Item = Json<'a>>, more: bool) -> Self {
        let mut listing = Self { tools: BTreeMap::new(), more, is_complete: !more, left_out: 0 };
        for tool in tools {
            let Some(name) = Tool(tool).name() else { continue };
            let is_known = listing.tools.contains_key(&*name);
            if name.len() > MAX_NAME || (!is_known && listing.tools.len() >= MAX_TOOLS) {
                listing.left_out += 1;
                continue;
            }
            listing.add(name.into_owned(), Definition::of(tool));
        }
        listing.is_complete &= listing.left_out == 0;
        listing
    }

    /// Marks the list as a page that is not the first.
    #[must_use]
    pub(super) fn continued(self) -> Self {
        Self { is_complete: false, ..self }
    }

    fn add(&mut self, name: String, definition: Definition) {
        let shown = match self.tools.remove(&name) {
            None => ListedDefinition::Once(definition),
            Some(ListedDefinition::Once(first)) if first.digest == definition.digest => {
                ListedDefinition::Once(first)
            }
            Some(ListedDefinition::Once(first)) => ListedDefinition::Twice(first, definition),
            Some(twice @ ListedDefinition::Twice(..)) => twice,
        };
        self.tools.insert(name, shown);
    }
}

impl ListedDefinition {
    /// Returns the definition to compare with the accepted one: of two, one that differs from it.
    pub(super) fn differing_from(&self, accepted: Option<&Definition>) -> &Definition {
        match self {
            Self::Once(definition) => definition,
            Self::Twice(first, second)
                if accepted.is_some_and(|accepted| accepted.digest == second.digest) =>
            {
                first
            }
            Self::Twice(_, second) => second,
        }
    }
}
