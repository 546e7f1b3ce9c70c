//! What is allowed and by what, the user's own `overt.toml`, and what a change of it would change.
//! Nothing here starts a server.
mod file; // the user's file: its text, what is wrong with it, saving it
mod form; // what the file says, item by item, and changes of that
mod verdict; // a verdict as the page reads it
mod replay; // recorded calls, decided once more
mod own_tools; // the tools of our own server, as their last calls are decided about
mod tools; // the tools that are known, each decided about
mod week; // the calls of the last week, alike ones together
mod overlay; // the file of the project, which may only narrow
mod review; // what holds, and what would change

pub(super) use file::save;
pub(super) use form::edit;
pub(super) use replay::{Deciders, replay};
pub(super) use review::{in_force, preview, show};
pub(super) use week::Week;
