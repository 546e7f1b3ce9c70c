//! Skills that a server has (SEP-2640), as their author gives them.
use std::fmt;
use std::sync::Arc;

use overt_wire::json::JsonBuf;

/// Skills that may change while the server runs.
pub trait SkillLibrary: fmt::Debug + Send + Sync + 'static {
    /// The skills as they are now. Each answer is made from one listing, so nothing in it is of two
    /// states.
    fn listing(&self) -> Arc<dyn SkillListing>;
}

/// The skills of a server at one moment.
pub trait SkillListing: fmt::Debug + Send + Sync {
    /// Tells this state from every other; the cursor of a page is good for one state.
    fn revision(&self) -> &str;

    /// The entries of `skills/list`, each as
    /// [`SkillEntry::write`](overt_wire::skill::SkillEntry::write) writes it.
    fn entries(&self) -> &[JsonBuf];

    /// The entry of the skill whose SKILL.md has this URI.
    fn entry(&self, uri: &str) -> Option<JsonBuf>;

    /// What `resources/list` has beside the resources that were declared. Templates read them.
    fn resources(&self) -> &[JsonBuf];

    /// The direct children of a directory, if the directory exists.
    fn directory(&self, uri: &str) -> Option<Vec<JsonBuf>>;
}
