//! `overt skill`: skills checked, made portable, started, listed, and taken from servers.
mod task; // runs the command that was typed
mod find; // skills in directories
mod files; // the files of one skill
mod check; // overt skill check
mod workers; // many skills at once
mod project; // overt skill project
mod new; // overt skill new
mod index; // overt skill index
mod fetch; // a skill of a server, verified file by file
mod read; // overt skill read
mod install; // overt skill install
mod install_plan; // what it would change
mod store; // how it is written

pub(crate) use task::skill;
