//! The tasks around the code, run as `cargo xtask TASK`. They know the repository, and use none of
//! our crates. `bench/runner` uses what is public here.

pub mod failure; // the error of a task, with a hint
pub mod repo; // the repository and its paths
pub mod run; // running other programs, with their output and deadlines
pub mod say; // the only place that prints
mod shared_work; // work that is shared between threads

pub mod setup; // installation of what the suite needs beyond Rust
mod rustdoc; // building and testing the documentation
mod suite; // all checks, in order

mod call_path; // what is compiled for size
mod conformance; // the official conformance suites
mod deny; // checks of licences, duplicates, sources
pub mod example; // building and starting the programs under test
mod fuzz; // each fuzz target for a short time
mod page; // the page of overt ui, and its tests in a browser
mod peers; // tests with other people's clients and servers
mod tidy; // the rules that no compiler checks

mod tasks; // each task by its name

pub use tasks::main;
