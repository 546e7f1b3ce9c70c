//! What a server may do: the settings, the sources of their values, and their meaning.
mod table; // every setting of control, declared once
mod file; // reads the settings file safely
mod folders; // settings that name folders
mod special; // special file systems, such as `/proc`
mod shield; // paths in the roots that no client may touch
mod reader; // reads the file again from outside the sandbox
mod sources; // file, environment and flags, weakest first; read again on demand
mod meaning; // derives permissions from the values
#[cfg(test)]
mod tests;

pub(super) use file::read_text as read_config_file;
pub(crate) use folders::{names_paths, placeholder};
pub(super) use meaning::Recording;
pub(crate) use meaning::{ControlSettings, QUICK};
pub(crate) use sources::ControlSources;
pub(crate) use special::Special;
pub(crate) use table::{GRANTABLE, HEADING, NO_GRANTS, OfRun, ROOTS, Table, control_of_own_server};
