//! Handles what the server sends while a command waits for it: progress, log messages and
//! questions.
mod command_listener; // dispatches notifications and questions
mod stderr_tail; // the end of a server's error output, to explain a failure
mod terminal; // the person at the terminal
mod ask; // an elicitation, asked field by field
mod form; // the fields of an elicitation

pub(crate) use command_listener::{CommandListener, PROGRESS_TOKEN};
pub(crate) use stderr_tail::StderrTail;
pub(crate) use terminal::QuestionTerminal;
