//! What the server sends us while we wait for it: progress, log messages, and questions.
mod command_listener; // notifications and questions to whom they concern
mod stderr_tail; // the end of its error output, to explain a failure with
mod terminal; // the person at the terminal, and how a question is called off
mod ask; // an elicitation, asked field by field
mod form; // the fields that it wants

pub(crate) use command_listener::{CommandListener, PROGRESS_TOKEN};
pub(crate) use stderr_tail::StderrTail;
pub(crate) use terminal::QuestionTerminal;
