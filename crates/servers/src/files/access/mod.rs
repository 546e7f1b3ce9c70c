//! What may be opened, and the only code that opens files. Each path is decided twice: by its name,
//! before anything is touched, and by where it led, on the open handle.
mod path; // paths as clients write them
mod unfinished; // names of unfinished files
mod facts; // metadata of an open handle
mod open; // the system calls that open files
mod open_error; // reasons why a folder can't be served
mod roots; // the directories that were opened at startup
mod handle; // open handles, after the decision
mod names; // how a folder compares names
mod rules; // the rules in force for the roots
mod view; // what one call can see
mod lookup; // looking up a client's path for one call
mod resolve; // from a path to a handle and its real path, through links

pub(crate) use facts::{Facts, Kind};
pub(crate) use handle::{Folder, OpenFile, Slot};
pub(crate) use lookup::Follow;
pub(crate) use open::Mounts;
pub use open_error::OpenError;
pub(crate) use path::AbsolutePath;
pub(crate) use roots::Roots;
pub(crate) use unfinished::{DIGITS, PREFIX, RemovalName, SwapName, is_ours};
pub(crate) use view::{SubtreeVisibility, View, VisibilityKey};
