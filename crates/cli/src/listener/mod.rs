//! What the server sends us while we wait for it: progress, log messages, and questions.
mod ask; // an elicitation, asked field by field
mod desk; // the person at the terminal, and how a question is called off
mod ears; // notifications and questions to whom they concern
mod form; // the fields that it wants

pub(crate) use desk::Desk;
pub(crate) use ears::{Ears, PROGRESS_TOKEN};
