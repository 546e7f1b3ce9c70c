//! Search programs without a server. Each call is a separate process.

use std::io;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::plan::Program;
use crate::samples::Samples;

#[expect(clippy::disallowed_methods, reason = "the harness uses none of our crates")]
pub(crate) fn measure(program: &Program, time: Duration) -> io::Result<Samples> {
    let [name, args @ ..] = program.command.as_slice() else { return Err(io::Error::other("no command")) };
    let mut samples = Samples::default();
    let started = Instant::now();
    while samples.len() < 3 || started.elapsed() < time {
        let began = Instant::now();
        let output = Command::new(name).args(args).stdin(Stdio::null()).output()?;
        samples.push(began.elapsed());
        let lines = memchr::memchr_iter(b'\n', &output.stdout).count();
        if lines != program.lines {
            return Err(io::Error::other(format!("{lines} lines instead of {}", program.lines)));
        }
    }
    Ok(samples)
}
