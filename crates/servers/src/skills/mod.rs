//! The skills server: the skills in some folders, the same bytes under every address.
//!
//! **Invariant:** every answer is made from one snapshot, and content that is not what the snapshot
//! says is not given. **Invariant:** a broken skill takes no other away, and a broken edit does not
//! take the good state away.
mod options; // how the server is started
mod limits; // how much is read and kept
mod finding; // what is wrong with a skill
mod tree; // which skills and files are in the folders
mod content; // the bytes of a file, and their digest
mod mime; // the type of a file, by its name
mod uri; // addresses
mod served; // one skill as it is served
mod judge; // from a directory to a skill that is served, or what is wrong with it
mod snapshot; // all skills at one moment
mod build; // from folders to a snapshot
mod definitions; // what lists say of a snapshot
mod library; // the snapshot that is served now
mod read; // contents of resources
mod resources; // the templates of all addresses
mod docs; // documents beside the skills
mod tools; // for clients that read no resources
mod prompt; // for people who choose a skill
mod watching; // notices changes and announces them
mod about; // the description of the server
mod server; // everything put together

pub use build::StartError;
pub use finding::Finding;
pub use library::Overview;
pub use options::{NAME, Options, Root};
pub use served::Serve;
pub use server::{SkillServer, SkillsError};
