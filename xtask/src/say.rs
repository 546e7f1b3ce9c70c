//! The only module that prints. Results go to standard output, messages and errors to standard
//! error.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is the module that prints")]

use std::fmt::Display;
use std::time::Duration;

use crate::failure::Failure;

pub fn line(text: impl Display) {
    println!("{text}");
}

/// Prints a line for a step, such as `clippy    ok    12.3 s   note`.
pub fn step(name: &str, outcome: &str, took: Duration, note: &str) {
    let line = format!("{name:<38} {outcome:<6} {:>7.1} s   {note}", took.as_secs_f64());
    println!("{}", line.trim_end());
}

pub fn failure(failure: &Failure) {
    eprintln!("error: {failure}");
}

pub fn usage<'a>(tasks: impl Iterator<Item = (&'a str, &'a str)>) {
    eprintln!("usage: cargo xtask TASK [ARGS]\n");
    for (name, purpose) in tasks {
        eprintln!("  {name:<14} {purpose}");
    }
}
