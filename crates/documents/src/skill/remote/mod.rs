//! Skills that an MCP server serves (SEP-2640), as a host takes them: what the server lists is
//! checked before a file is asked for, and each file is verified before it is shown.
mod file_path; // where a file belongs, and where none may
mod manifest; // the checked entry of a skill
mod content; // the bytes in the answer to resources/read
mod verify; // files beside the manifest
#[cfg(test)]
mod tests;

pub use content::{ContentError, content_bytes};
pub use file_path::PathProblem;
pub use manifest::{ManifestError, ManifestFile, SkillManifest};
pub use verify::{SkillLoad, VerifiedFile, VerifiedSkill, VerifyError};
