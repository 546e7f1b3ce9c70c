//! A function per subcommand: from settings to an exit code.
mod list; // overt list
mod call; // overt call
mod generate; // overt completions, overt man
mod session; // a conversation with a server, from connect to close
mod save; // binary content to files
mod refusal; // errors of the conversation as the user sees them
mod signals; // Ctrl-C and its relatives

pub(crate) use call::call;
pub(crate) use generate::{completions, man};
pub(crate) use list::list;
