//! What the server sends us while we wait for it: progress, log messages, and questions.
mod ears; // notifications and questions to whom they concern
mod last_words; // the end of its error output, to explain a failure with
mod desk; // the person at the terminal, and how a question is called off
mod ask; // an elicitation, asked field by field
mod form; // the fields that it wants

pub(crate) use desk::Desk;
pub(crate) use ears::{Ears, PROGRESS_TOKEN};
pub(crate) use last_words::LastWords;
