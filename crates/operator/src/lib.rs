//! What a person decides, for commands, the inbox in the terminal and the page: the check that a
//! person acts, the inbox, trust, grants, policy edits and undo. Callers print; nothing here reads
//! arguments or the environment.
mod error; // why a change was not made
pub mod text; // text from others in sentences
pub mod near; // names that were probably meant
pub mod answerer; // the processes above the one that answers
mod not_answerer; // why a process does not act for a person
mod environment; // what the caller knows
mod person_check; // whether a process acts for a person
mod operator_log; // the audit log of what a person does
mod operator; // the process in which a person makes changes
mod command_name; // names from the words that start a server
pub mod server_name; // names of servers
pub mod servers; // the known servers, and which one a name means
pub mod tools; // the server whose tool is meant
pub mod words; // decisions in words
pub mod decisions; // questions, grants and trust
pub mod inbox; // open questions and their answers
pub mod policy_edit; // the person's own policy file
pub mod explain; // the decision about a call that nobody makes
pub mod undo; // taking changes of files back
pub mod replace_file; // the one writer of a person's files

pub use environment::{OperatorEnvironment, ServerIdentities};
pub use error::{ErrorKind, Explain, OperatorError, outside_error, user_error};
pub use not_answerer::NotAnswerer;
pub use operator::Operator;
pub use operator_log::{LogPlan, OperatorLog};
pub use person_check::{Answerer, PersonProof, ProvenAnswerer};
