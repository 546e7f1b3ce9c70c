//! A load generator for MCP servers: calls one tool as fast as it answers and prints one line of
//! JSON.
//!
//! It parses no JSON on the hot path and has no runtime, so that it measures the server and not
//! itself.

mod args; // the command line
mod calls; // the texts of the protocol
mod fs; // file servers, operation by operation
mod http; // measurements over Streamable HTTP
mod process; // CPU time and memory of processes
mod samples; // latencies and their quantiles
mod stdio; // measurements over a child's pipes

use std::process::ExitCode;

use args::{Args, Target};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [what, place] = words.as_slice() {
        let place = std::path::Path::new(place);
        match what.as_str() {
            "corpus" => return ended(fs::make_corpus(place).map_err(|cause| cause.to_string())),
            "fs" => return ended(fs::run(place, say)),
            "pages" => return ended(fs::page_through(place, say)),
            _ => {}
        }
    }
    let outcome = Args::parse(words.into_iter()).and_then(|args| match &args.target {
        Target::Url(url) => http::measure(&args, url),
        Target::Command(command) => stdio::measure(&args, command),
    });
    ended(outcome.map(|result| say(&result.to_string())))
}

fn ended(outcome: Result<(), String>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
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
