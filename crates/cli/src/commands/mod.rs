//! The subcommands: each has a function that takes the parsed arguments and returns an exit code.
mod in_process_proxy; // a server behind our own layers, in one process
mod session; // a conversation with a server, from connect to close
mod signals; // Ctrl-C and other signals that end a command
mod prompter; // questions at the terminal
mod refusal; // client errors as the user sees them
mod manifest; // findings about a manifest and the running server
mod list; // overt list
mod tool; // one tool, and the arguments for it
mod missing_tool; // why a tool is not in the list
mod not_made; // why a call was not made, for the person who typed it
mod call; // overt call
mod replay; // overt call --replay
mod preview; // overt call --preview
mod describe; // overt describe
mod disclosure; // the survey of the upstream, for what clients are told
mod control; // settings, grants and audit log, put together
mod late_ledger; // a ledger for components built before the audit log is open
mod file_trust; // trust that the user's file gives a server
mod serving; // signals, telemetry, control and clients of every server
mod workers; // more threads for connections
mod enclose; // the sandbox of a server
mod own_server; // what overt fs and overt skills share
mod fs; // overt fs
mod run; // overt run
mod settings; // overt run --show-settings, --print-config-schema
mod reload; // settings, read again while the server runs
mod save; // binary content, saved to files
mod grants; // overt grants, overt trust
mod watch; // overt watch
mod ui; // overt ui, overt inspect
mod passphrase; // reading a passphrase, overt passphrase
mod token; // overt token
mod pins; // overt pins
mod card; // overt card
mod skill; // overt skill
mod skills; // overt skills
mod audit; // overt audit
mod activity; // overt log
mod undo; // overt undo
mod policy; // overt policy
mod policy_edit; // overt forbid, overt permit
mod login; // overt login, overt logout
mod generate; // overt completions, overt man
mod reference; // all commands as a Markdown page
mod wrap; // overt wrap, overt unwrap
mod doctor; // overt doctor

pub(crate) use activity::activity;
pub(crate) use audit::audit;
pub(crate) use call::call;
pub(crate) use card::card;
pub(crate) use describe::describe;
pub(crate) use doctor::doctor;
pub(crate) use fs::fs;
pub(crate) use generate::{completions, man};
pub(crate) use grants::{grants, trust};
pub(crate) use list::list;
pub(crate) use login::{login, logout};
pub(crate) use passphrase::passphrase;
pub(crate) use pins::pins;
pub(crate) use policy::policy;
pub(crate) use policy_edit::{forbid, permit};
pub(crate) use replay::replay;
pub(crate) use run::run;
pub(crate) use settings::{print_config_schema, show_settings};
pub(crate) use skill::skill;
pub(crate) use skills::skills;
pub(crate) use token::token;
pub(crate) use ui::{inspect, ui};
pub(crate) use undo::undo;
pub(crate) use watch::watch;
pub(crate) use wrap::{unwrap, wrap};
