//! Tells whether a person answers a question, or a program that an agent started. It
//! examines processes, terminals and variables; `commands` decides what follows.
mod process; // a process, and the table of processes
mod proc_files; // the process table of Linux
mod programs; // programs that start sessions, and known agents
mod client; // finds the client of a server in the process tree
mod standing; // whether a process acts for a person

pub use client::client_of;
pub use proc_files::ProcFiles;
pub use standing::{AnswererProcess, Doubt, doubt};

#[cfg(test)]
mod tests;
