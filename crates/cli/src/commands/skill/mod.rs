//! `overt skill`: skills checked, made portable, started and listed.
mod task; // from settings to one of the commands
mod find; // skills in directories
mod files; // the files of one skill
mod check; // overt skill check
mod workers; // many skills at once
mod project; // overt skill project
mod new; // overt skill new
mod index; // overt skill index

pub(crate) use task::skill;
