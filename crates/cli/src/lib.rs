//! The `overt` program: parses the command line, resolves the settings, runs the command and
//! reports the result. Only its `main` and the fuzz targets use this crate.
//!
//! **Invariant:** the only crate that prints, reads the environment or decides an exit code.
mod args; // the command line; doc comments are the help text
mod ai_help; // the help for agents
mod settings; // arguments with environment, files and defaults applied
mod context; // what every command is given
mod commands; // a function per subcommand
mod arguments; // parses `name=value` words into a tool's arguments
mod granted; // places outside of the roots of `overt fs`, and the processes that serve them
mod listener; // handles what the server sends while a command waits for it
mod survey; // collects everything that a description of a server needs
mod telemetry; // logs, traces, spans, health and metrics
mod cost; // token cost of a server's definitions in a model's context
mod output; // the only code that prints
mod wrap_records; // what `overt wrap` changed, and the backups
mod lost_wrapping; // entries that Overt was put in front of and no longer is
mod error; // errors of commands, and the exit codes
mod usage; // better words for mistakes on the command line
mod run; // from the command line to an exit code

pub use run::main;
