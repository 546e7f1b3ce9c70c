//! A load generator for MCP servers: calls one tool as fast as it answers and prints one line of JSON.
//!
//! It reads no JSON on the hot path and has no runtime, so that what it measures is the server.

mod args; // what to measure
mod calls; // the protocol's texts
mod http; // over Streamable HTTP
mod process; // what the server costs
mod samples; // latencies and their quantiles
mod stdio; // over a child's pipes

use std::process::ExitCode;

use args::{Args, Target};

fn main() -> ExitCode {
    let outcome = Args::parse(std::env::args().skip(1)).and_then(|args| match &args.target {
        Target::Url(url) => http::measure(&args, url),
        Target::Command(command) => stdio::measure(&args, command),
    });
    match outcome {
        Ok(result) => {
            say(&result.to_string());
            ExitCode::SUCCESS
        }
        Err(problem) => {
            complain(&problem);
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stdout, reason = "the result is this program's output")]
fn say(line: &str) {
    println!("{line}");
}

#[expect(clippy::print_stderr, reason = "a failure is told to the person who runs it")]
fn complain(problem: &str) {
    eprintln!("error: {problem}");
}
