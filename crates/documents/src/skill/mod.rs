//! SKILL.md: a server as a skill that an agent can be given.
mod file; // the file: read, checked, written
mod build; // from a description
#[cfg(test)]
mod tests;

pub use file::{Skill, is_skill_name};
