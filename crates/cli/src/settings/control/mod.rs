//! What `overt run` allows: the settings, where their values come from, and what they mean.
mod table; // every setting, declared once
mod file; // the file, read with care
mod sources; // file, environment and flags, weakest first; read again on demand
mod meaning; // from values to what is in force
#[cfg(test)]
mod tests;

pub(crate) use meaning::ControlSettings;
pub(crate) use sources::ControlSources;
pub(crate) use table::declared;
