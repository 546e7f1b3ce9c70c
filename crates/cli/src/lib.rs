//! The `overt` program: parse, resolve, run, report. Only its `main` and the fuzz targets use this
//! crate.
//!
//! **Invariant:** the only crate that prints, reads the environment or decides an exit code.
mod args; // what can be typed; doc comments are the help
mod ai_help; // the same for agents
mod settings; // what it means: environment, files and defaults applied
mod commands; // a function per subcommand
mod arguments; // from `name=value` words to a tool's arguments
mod answerer; // who answers questions: a person, or what an agent started
mod listener; // what the server sends us while we wait for it
mod survey; // everything that a description of a server is made from
mod telemetry; // logs, traces, spans, health and metrics
mod cost; // what a server's definitions cost in a model's context
mod output; // the only code that prints
mod wrap_records; // what `overt wrap` changed, and the backups
mod replace_file; // a file is old or new, never torn
mod near; // "did you mean"
mod failure; // how a command fails, and the exit codes
mod usage; // mistakes on the command line that need better words
mod run; // from the command line to an exit code

pub use run::main;
