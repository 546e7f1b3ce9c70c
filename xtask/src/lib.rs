//! The tasks around the code, run as `cargo xtask TASK`. Knows the repository, and none of our
//! crates. `bench/runner` uses what is public here.

pub mod failure; // what a task says when it fails
pub mod repo; // where things are
pub mod run; // other programs: their output, their time, their end
pub mod say; // the only place that prints
mod shared_work; // work that several threads share

pub mod setup; // what the suite needs beyond Rust
mod rustdoc; // documentation, checked with its examples
mod suite; // all checks, in order

mod conformance; // the official suites
mod deny; // licences, duplicates, sources
pub mod example; // the programs under test
mod fuzz; // each fuzz target for a short time
mod page; // the page of overt ui, and the browser before it
mod peers; // other people's clients and servers
mod tidy; // the rules that no compiler checks

mod tasks; // each task by its name

pub use tasks::main;
