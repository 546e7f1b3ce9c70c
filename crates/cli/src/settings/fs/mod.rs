//! What `overt fs` serves, and how.
mod table; // its settings: those of control, of the files, and its own
pub(super) mod sandbox_paths; // what the program still opens once it is in the sandbox
mod resolve; // from the command line to all of it

pub(super) use resolve::enforced;
pub(crate) use resolve::{FsSettings, SandboxPlan};
pub(crate) use table::OfFiles;
pub(super) use table::sandboxing;
