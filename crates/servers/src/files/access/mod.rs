//! What may be opened, and the only code that opens. A path is decided twice: by its name, before
//! anything is touched, and by where it led to, on the open handle.
mod path; // a path as a client writes it
mod unfinished; // the names of what is not finished
mod facts; // what a handle is a handle of
mod open; // the system calls
mod open_error; // why a folder can't be served
mod roots; // the directories that were opened when the server began
mod handle; // what was opened and decided
mod names; // how a folder compares names
mod rules; // what of the roots is in force
mod view; // what one call can see
mod lookup; // what stands at a path, for this call
mod resolve; // from a path to a handle and its real name, through links

pub(crate) use facts::{Facts, Kind};
pub(crate) use handle::{Folder, OpenFile, Slot};
pub(crate) use lookup::Follow;
pub(crate) use open::Mounts;
pub use open_error::OpenError;
pub(crate) use path::AbsolutePath;
pub(crate) use roots::Roots;
pub(crate) use unfinished::{DIGITS, PREFIX, RemovalName, SwapName, is_ours};
pub(crate) use view::{SubtreeVisibility, View, VisibilityKey};
