//! The settings of `overt skills`.
mod table; // its table of settings
mod resolve; // resolves them from the command line

pub(crate) use resolve::SkillsSettings;
pub(crate) use table::OfSkills;
