//! SKILL.md: a server as a skill that an agent can be given, and other people's skills, checked and
//! carried over.
mod file; // the file: read, checked, written
mod tools; // the tools of a server, with every parameter
mod build; // the skill of a server, from its description or its help
pub mod reference; // what the reference validator says
mod reference_path; // the path of a reference
pub mod check; // what every reader says
mod fix; // corrections without judgement
mod portable; // the portable form, and back
mod template; // a new skill
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
