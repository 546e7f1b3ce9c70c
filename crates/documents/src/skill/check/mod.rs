//! One check for all readers of skills. Each fault is found once, and a table gives its severity
//! for each reader.
mod profile; // the readers
mod rule; // the table of rules with their severities
mod report; // the violations that were found
mod source; // the input of a check
mod checker; // the state of a check
mod fields; // the fields of the specification
mod claude; // the fields of Claude Code
mod repository; // the metadata of a repository
mod body; // the instructions
mod files; // the files of a skill
mod skill_file; // the check of one skill
mod set; // the check of several skills together
#[cfg(test)]
mod tests;

pub use body::MOST_TOKENS;
pub(super) use checker::step_into;
pub(super) use fields::{REPOSITORY, says_when, top_level_commas};
pub use profile::Profile;
pub use report::{Edit, Report, Violation};
pub(super) use repository::is_id;
pub use rule::Rule;
pub use set::{Member, check_set};
pub use skill_file::{MOST_BYTES, check, check_for};
pub use source::{Files, Source};
