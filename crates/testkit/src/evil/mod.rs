//! A server that does by script what a server must not do, over standard input and output, and over
//! HTTP.
//!
//! Most of it is done by a tool that the test calls: instead of an answer, `say` writes the bytes
//! that its arguments describe, at the times that they name. Misbehaviour that no call triggers is
//! a [`Habit`](habits::Habits).
pub mod habits; // misbehaviour that no call asks for: noise, crashes, deafness
mod tasks; // calls that become tasks, in both eras
mod script; // bytes to write, and when
pub mod odd; // unusual messages that JSON allows
pub mod server; // the handling of messages
mod process; // exiting, and appending to files
pub mod lines; // over standard input and output
pub mod web; // over HTTP, as raw bytes
