//! Reads, changes and restores the files in which clients configure their servers.
//!
//! **Invariant:** a file is never written from its parsed form. Byte ranges are replaced, and
//! everything else stays as it was.
mod node; // a parsed file with the byte range of each value
mod jsonc; // JSON without comments and trailing commas
mod json; // JSON with comments, parsed for positions
mod toml; // TOML, parsed for positions
mod yaml; // YAML, parsed for positions
mod document; // a file and the servers in it
mod refusal; // why a server is not wrapped
mod launch; // how an entry starts or reaches its server
mod wrapper; // how a client starts Overt
mod wrapping; // the edits that put Overt in front of a program
mod remote; // the edit that puts Overt in front of a remote server
mod splice; // replacement of byte ranges, with a check that nothing else changed
mod unwrapping; // the edits that remove Overt again
mod record; // the record of what was changed in a file
mod lost; // entries that lost their wrapping
mod lock; // a lock against writes of the client at the same time
mod managed; // an administrator's lists of allowed and denied servers
mod tracked; // whether git tracks a file
mod round_trip; // a check that unwrapping restores the bytes

pub use document::{Document, Entry, EntryId};
pub use jsonc::to_json as without_comments;
pub use launch::{Launch, Program, launch};
pub use lock::FolderLock;
pub use lost::{Loss, LostWrapping, lost_wrappings};
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
mod tests; // many files, wrapped and unwrapped
