//! `overt completions` and `overt man`: files made from the same declarations as the help.
use clap::CommandFactory as _;

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::failure::{Complaint, Exit, Failure};
use crate::near::valid_names;
use crate::output::{OutputError, Printer};
use crate::settings::{Env, Verbosity};

/// There is no such command to describe.
#[derive(Debug, thiserror::Error)]
#[error("there is no command `{name}`; {valid}")]
struct UnknownCommand {
    name: String,
    valid: String,
}

impl Complaint for UnknownCommand {}

pub(crate) fn completions(args: &CompletionsArgs, env: &Env) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "overt", &mut script);
    print(&script, env)
}

pub(crate) fn man(args: &ManArgs, env: &Env) -> Result<Exit, Failure> {
    let mut program = Cli::command();
    program.build();
    let command = match &args.command {
        None => program,
        Some(name) => match program.find_subcommand(name) {
            Some(command) => command.clone(),
            None => {
                let names: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
                return Err(UnknownCommand { name: name.clone(), valid: valid_names(name, names) }.into());
            }
        },
    };
    let mut page = Vec::new();
    // Writing to memory can't fail.
    let _ = clap_mangen::Man::new(command).render(&mut page);
    print(&page, env)
}

fn print(bytes: &[u8], env: &Env) -> Result<Exit, Failure> {
    Printer::new(Verbosity::Normal, env)
        .exact(bytes)
        .map_err(|error: OutputError| error.into())
        .map(|()| Exit::Ok)
}
