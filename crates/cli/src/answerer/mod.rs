//! Who answers questions: a person, or a program that an agent started. Looks at processes,
//! terminals and variables; what follows from it is decided in `commands`.
mod process; // a process, and the table of all of them
mod proc_files; // that table as Linux has it
mod programs; // which programs begin a session, and which are agents
mod client; // the client of a server, in the tree of processes
mod standing; // whether a process stands for a person

pub(crate) use client::client_of;
pub(crate) use proc_files::ProcFiles;
pub(crate) use standing::{AnswererProcess, Doubt, doubt};

#[cfg(test)]
mod tests;
