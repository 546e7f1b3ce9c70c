//! What a server may do: the settings, where their values come from, and what they mean.
mod table; // every setting of control, declared once
mod file; // the file, read with care
mod folders; // settings that name folders
mod special; // file systems that are not files
mod shield; // what no client may touch although it is in a root
mod reader; // the file, read again from outside a sandbox
mod sources; // file, environment and flags, weakest first; read again on demand
mod meaning; // from values to what is in force
#[cfg(test)]
mod tests;

pub(super) use file::read_text as read_config_file;
pub(crate) use folders::{names_paths, placeholder};
pub(crate) use meaning::{ControlSettings, QUICK};
pub(crate) use sources::ControlSources;
pub(crate) use special::Special;
pub(crate) use table::{GRANTABLE, HEADING, OfRun, ROOTS, Table, control};
