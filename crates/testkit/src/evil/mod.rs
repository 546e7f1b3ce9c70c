//! A server that does whatever a server must not do, by script: over standard input and output, and over HTTP.
//!
//! Most evil is a tool that the test calls: `say` writes the bytes that its arguments describe, at the times
//! they name, in the place of an answer. What is not tied to a call is a [`Habit`](habits::Habits).
pub mod habits; // what it does unasked: banners, crashes, deafness
mod tasks; // calls that become tasks, in both eras
mod script; // bytes to write, and when
pub mod odd; // messages as odd as JSON allows
pub mod server; // what it does with a message
mod process; // how it ends, and what it leaves in files
pub mod lines; // over standard input and output
pub mod web; // over HTTP, by the byte
