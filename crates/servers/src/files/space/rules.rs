//! What of the folders is in force for a call, from the settings that hold for it: the regions at the places where the roots really
//! are, and what is hidden and protected in every folder. Made once for as long as the settings stay the same.
use std::sync::{Arc, Mutex, PoisonError};

use overt_spec::control::Regions;
use overt_spec::setting::List;
use serde_json::json;

use super::super::error::{FileError, code};
use super::anchor::{Anchor, Space};

/// What the settings say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) roots: Regions,
    pub(crate) hidden: List,
    pub(crate) immutable: List,
}

/// What follows from it.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    /// What is left of the roots.
    pub(crate) roots: Regions,
    /// What patterns leave of the folders that can be granted beside them.
    pub(crate) beside: Regions,
}

/// The last ones that were made: most calls say the same.
#[derive(Debug, Default)]
pub(crate) struct Made(Mutex<Option<(Said, Arc<Rules>)>>);

impl Made {
    pub(super) fn of(&self, said: Said, space: &Space) -> Result<Arc<Rules>, FileError> {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((before, rules)) = &*made
            && *before == said
        {
            return Ok(Arc::clone(rules));
        }
        let roots = match space.has_aliases() {
            false => said.roots.clone(),
            true => {
                let place = |path: &str| Ok::<_, FileError>(space.real_text(path));
                said.roots.placed(place)?.ok_or_else(unusable)?
            }
        };
        let has_patterns = !(said.hidden.is_empty() && said.immutable.is_empty());
        let rules = match has_patterns {
            false => Rules { roots, beside: Regions::top() },
            true => Rules {
                roots: roots.meet(&everywhere(&said, space.roots())?),
                beside: everywhere(&said, space.grantable())?,
            },
        };
        let rules = Arc::new(rules);
        *made = Some((said, Arc::clone(&rules)));
        Ok(rules)
    }
}

/// What the patterns leave of these folders.
fn everywhere<'a>(said: &Said, folders: impl Iterator<Item = &'a Anchor>) -> Result<Regions, FileError> {
    let region = |path: &str| json!({ "path": path, "deny": said.hidden, "immutable": said.immutable });
    let regions: Vec<_> = folders.map(|folder| region(folder.path().as_str())).collect();
    Regions::parse(&json!(regions)).map_err(|_| unusable())
}

/// What hides must never be left out (FS-24).
fn unusable() -> FileError {
    FileError::new(
        code::NOT_ALLOWED,
        "the patterns of what is hidden and protected can't be used, so nothing was done",
        "Ask the user to correct the settings `roots`, `hidden` and `immutable`.",
    )
}
