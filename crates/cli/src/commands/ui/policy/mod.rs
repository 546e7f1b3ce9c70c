//! What is allowed and why, the user's own `overt.toml`, and the effect of a change to it. Nothing
//! here starts a server.
mod file; // the user's file: its text, its findings, saving it
mod form; // the user's file as a form, and edits of it
mod verdict; // a verdict as the page shows it
mod replay; // new decisions about recorded calls
mod own_tools; // tools of our own server, with decisions about their last calls
mod tools; // the known tools, each with its decision
mod week; // the calls of the last week, grouped
mod overlay; // the file of the project, which may only restrict
mod review; // the present state, and the effect of a draft

pub(super) use file::save;
pub(super) use form::edit;
pub(super) use replay::{Deciders, replay};
pub(super) use review::{in_force, preview, show};
pub(super) use week::Week;
