//! What `overt skills` serves, and how.
mod table; // its settings
mod resolve; // from the command line to all of it

pub(crate) use resolve::SkillsSettings;
pub(crate) use table::OfSkills;
