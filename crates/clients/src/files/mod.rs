//! The files in which clients keep their servers: read for positions, changed in place, put back.
//!
//! **Invariant:** a file is never written from its parsed form. Byte ranges are replaced, and
//! everything else stays as it was.
mod node; // a parsed file with the byte range of each value
mod jsonc; // comments in JSON, taken out
mod json; // JSON with comments, parsed for positions
mod toml; // TOML, parsed for positions
mod yaml; // YAML, parsed for positions
mod document; // a file and the servers in it
mod refusal; // why a server is left as it is
mod launch; // how an entry starts or reaches its server
mod wrapper; // how a client starts Overt
mod wrapping; // the edits that put Overt in front of an entry
mod remote; // the same for an entry with an address
mod splice; // replaces byte ranges, and checks everything else
mod unwrapping; // the edits that take Overt away again
mod record; // what was changed in a file
mod lock; // keeps a client from writing at the same time
mod managed; // lists of servers that an administrator allows or denies
mod tracked; // whether git tracks a file
mod round_trip; // any file comes back as it was

pub use document::{Document, Entry, EntryId};
pub use jsonc::to_json as without_comments;
pub use launch::{Launch, Program, launch};
pub use lock::FolderLock;
pub use managed::{Managed, ManagedFolders};
pub use node::{Member, Node};
pub use record::{FileRecord, RecordedEdit};
pub use refusal::Refusal;
pub use remote::Login;
pub use round_trip::{FileSyntax, check_round_trip};
pub use splice::{Edit, EditPosition, SpliceError, Spliced, splice};
pub use tracked::is_tracked;
pub use unwrapping::{Unwrap, unwrap};
pub use wrapper::Wrapper;
pub use wrapping::{own_server, wrap};

#[cfg(test)]
mod tests; // any file, wrapped and unwrapped
