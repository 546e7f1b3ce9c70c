//! The host's side of skills that an MCP server serves (SEP-2640). The server's list is checked
//! before a file is requested, and each file is verified before it is shown.
mod file_path; // the paths of files
mod manifest; // the checked entry of a skill
mod content; // the bytes in the answer to resources/read
mod verify; // files compared with the manifest
#[cfg(test)]
mod tests;

pub use content::{ContentError, content_bytes};
pub use file_path::PathProblem;
pub use manifest::{ManifestError, ManifestFile, SkillManifest};
pub use verify::{SkillLoad, VerifiedFile, VerifiedSkill, VerifyError};
