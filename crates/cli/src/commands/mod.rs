//! A function per subcommand: from settings to an exit code.
mod call; // overt call
mod generate;
mod list; // overt list
mod refusal; // errors of the conversation as the user sees them
mod save; // binary content to files
mod session; // a conversation with a server, from connect to close
mod signals; // Ctrl-C and its relatives // overt completions, overt man

pub(crate) use call::call;
pub(crate) use generate::{completions, man};
pub(crate) use list::list;
