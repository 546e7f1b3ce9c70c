//! What of the roots is in force for a call, from the settings that hold for it: the regions at the places where the roots really are,
//! and what is hidden and protected in every root. Made once for as long as the settings stay the same.
use std::sync::{Mutex, PoisonError};

use overt_spec::control::Regions;
use overt_spec::setting::List;
use serde_json::json;

use super::super::error::{FileError, code};
use super::anchor::Space;

/// What the settings say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) roots: Regions,
    pub(crate) hidden: List,
    pub(crate) immutable: List,
}

/// The last ones that were made: most calls say the same.
#[derive(Debug, Default)]
pub(crate) struct Made(Mutex<Option<(Said, Regions)>>);

impl Made {
    pub(super) fn of(&self, said: Said, space: &Space) -> Result<Regions, FileError> {
        let has_patterns = !(said.hidden.is_empty() && said.immutable.is_empty());
        if !has_patterns && !space.has_aliases() {
            return Ok(said.roots);
        }
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((before, regions)) = &*made
            && *before == said
        {
            return Ok(regions.clone());
        }
        let place = |path: &str| space.real_text(path);
        let placed = said.roots.placed(|path| Ok::<_, FileError>(place(path)))?.ok_or_else(unusable)?;
        let regions = if has_patterns { placed.meet(&everywhere(&said, space)?) } else { placed };
        *made = Some((said, regions.clone()));
        Ok(regions)
    }
}

/// What holds in every root.
fn everywhere(said: &Said, space: &Space) -> Result<Regions, FileError> {
    let region = |path: &str| json!({ "path": path, "deny": said.hidden, "immutable": said.immutable });
    let regions: Vec<_> = space.roots().map(|root| region(root.path().as_str())).collect();
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
