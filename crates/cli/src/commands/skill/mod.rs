//! `overt skill`: checks skills, converts them, creates, indexes and installs them.
mod task; // dispatch to the subcommands
mod find; // finding skills in directories
mod files; // the files of one skill
mod check; // overt skill check
mod workers; // parallel work on many skills
mod project; // overt skill project
mod new; // overt skill new
mod index; // overt skill index
mod fetch; // fetching a skill from a server, verified file by file
mod read; // overt skill read
mod install; // overt skill install
mod install_plan; // the changes that an installation would make
mod store; // writing an installed skill

pub(crate) use task::skill;
