//! The settings of `overt fs`.
mod table; // its table of settings
pub(super) mod sandbox_paths; // paths that stay open inside the sandbox
mod resolve; // resolves them from the command line
mod client_roots; // the roots that a client names in its first message

pub(super) use resolve::enforced;
pub(crate) use resolve::{FsSettings, SandboxPlan};
pub(crate) use table::OfFiles;
pub(super) use table::sandboxing;
