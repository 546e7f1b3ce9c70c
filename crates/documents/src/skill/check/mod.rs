//! One check for every reader of skills: what is wrong is found once, and a table says how bad it
//! is for whom.
mod profile; // the readers
mod rule; // the table of rules
mod report; // what was found
mod source; // what is checked
mod checker; // the state of a check
mod fields; // the fields of the specification
mod claude; // the fields of Claude Code
mod repository; // the metadata of a repository
mod body; // the instructions
mod files; // the files beside it
mod skill_file; // one skill
mod set; // many skills together
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
