//! The skills server: it serves the skills in some folders, with the same bytes under every
//! address.
//!
//! **Invariant:** every answer is made from one snapshot, and content that differs from the
//! snapshot is never returned. **Invariant:** a broken skill does not affect other skills, and a
//! broken edit does not replace the last good state.
mod options; // how the server is started
mod limits; // how much is read and kept
mod finding; // a problem of a skill
mod tree; // finds the skills and their files in the folders
mod content; // the bytes of a file, and their digest
mod mime; // media types by file name
mod uri; // addresses of skills and files
mod served; // a skill as it is served
mod judge; // turns a directory into a served skill, or into findings
mod snapshot; // all skills at one moment
mod build; // builds a snapshot from folders
mod definitions; // entries of lists
mod library; // the snapshot that is served now
mod read; // contents of resources
mod resources; // templates for all addresses
mod docs; // documents beside the skills
mod tools; // tools for clients that cannot read resources
mod prompt; // a prompt for people who choose a skill
mod watching; // notices changes and announces them
mod about; // the description of the server
mod server; // assembles the server

pub use build::StartError;
pub use finding::Finding;
pub use library::Overview;
pub use options::{NAME, Options, Root};
pub use served::Serve;
pub use server::{SkillServer, SkillsError};
