//! The settings of `overt fs`.
mod table; // its table of settings
pub(super) mod sandbox_paths; // paths that stay open inside the sandbox
mod resolve; // resolves them from the command line

pub(super) use resolve::enforced;
pub(crate) use resolve::{FsSettings, SandboxPlan};
pub(crate) use table::OfFiles;
pub(super) use table::sandboxing;
