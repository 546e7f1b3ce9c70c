//! The interface to the skills of a server (SEP-2640), which its author implements.
use std::fmt;
use std::sync::Arc;

use overt_wire::json::JsonBuf;

/// Skills that may change while the server runs.
pub trait SkillLibrary: fmt::Debug + Send + Sync + 'static {
    /// Returns the current skills. Each answer is made from one listing, so it never mixes two
    /// states.
    fn listing(&self) -> Arc<dyn SkillListing>;
}

/// The skills of a server at one moment.
pub trait SkillListing: fmt::Debug + Send + Sync {
    /// Identifies this state. The cursor of a page is valid for one state only.
    fn revision(&self) -> &str;

    /// Returns the entries of `skills/list`, each as
    /// [`SkillEntry::write`](overt_wire::skill::SkillEntry::write) writes it.
    fn entries(&self) -> &[JsonBuf];

    /// Returns the entry of the skill whose SKILL.md has this URI.
    fn entry(&self, uri: &str) -> Option<JsonBuf>;

    /// Returns the entries that skills add to `resources/list`. Templates read these resources.
    fn resources(&self) -> &[JsonBuf];

    /// Returns the direct children of a directory, if the directory exists.
    fn directory(&self, uri: &str) -> Option<Vec<JsonBuf>>;
}
