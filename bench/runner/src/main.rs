//! Measures how fast Overt is compared with other programs, in one run on one machine.

mod compare; // medians and ratios
mod proxy; // `overt run` and other proxies under load
mod fs; // `overt fs` and other file servers, operation by operation
mod pages; // the pages of a folder with a million entries
mod cpu; // the CPU time of a call, with the audit log on and off
mod serve; // the echo servers under load
mod describe; // `overt describe` of a server with a hundred tools
mod control; // the cost of deciding about calls and recording them
mod log; // `overt log` on a million records
mod skills; // `overt skill check` and `overt skills`, and others
mod ui; // the page of `overt ui` and the Inspector, in a browser
mod wire; // the scanner and the editor
mod benchmarks; // the table of benchmarks
mod build; // building the programs
mod values; // parsers for values of options

use std::process::ExitCode;

use clap::Parser as _;
use xtask::repo::Repo;
use xtask::{run, say};

fn main() -> ExitCode {
    let cli = benchmarks::Cli::parse();
    match Repo::find().and_then(|repo| cli.run(&repo)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            run::end_all();
            say::failure(&failure);
            ExitCode::FAILURE
        }
    }
}
