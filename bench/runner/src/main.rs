//! How fast we are beside others, measured in one run on one machine.

mod compare; // medians and ratios
mod proxy; // `overt run` and other proxies under load
mod fs; // `overt fs` and other file servers, operation by operation
mod pages; // pages of a folder with a million entries
mod cpu; // the CPU time of a call, with the audit log on and off
mod serve; // the echo servers under load
mod describe; // `overt describe` of a server with a hundred tools
mod control; // deciding and writing down
mod log; // `overt log` on a million records
mod skills; // skills: `overt skill check` and `overt skills`, and others
mod ui; // the page of `overt ui` and the Inspector, in a browser
mod wire; // the scanner and the editor
mod benchmarks; // each of them by its name
mod build; // how programs are built for them
mod values; // values of their options

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
