//! SKILL.md: describes a server as a skill for an agent, and checks and converts other people's
//! skills.
mod file; // the file: read, checked, written
mod tools; // the tools of a server, with all parameters
mod build; // the skill of a server, from its description or its help
mod reference_path; // the path of a reference
pub mod check; // the check for every reader
mod fix; // corrections that need no judgement
mod portable; // the portable form, and the way back
mod template; // the text of a new skill
mod catalogue; // lists of skills
pub mod remote; // skills of servers, verified
#[cfg(test)]
mod tests;

pub use build::ServerSkill;
pub use catalogue::{Entry, INDEX_PATH, catalogue, index, is_repository, reference_id};
pub use file::{Skill, is_skill_name};
pub use fix::{Fixed, fix};
pub use portable::{import, project};
pub use template::{Form, Template};
pub use tools::TOOLS_PATH;
