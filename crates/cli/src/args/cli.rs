//! The program and its subcommands.
use clap::{Parser, Subcommand};

use super::{CallArgs, CompletionsArgs, ListArgs, LoginArgs, LogoutArgs, ManArgs, PinsArgs, RunArgs};

/// Makes MCP servers open about what they do.
///
/// Data goes to standard output, everything else to standard error. What a server says is escaped before it
/// reaches a terminal.
#[derive(Debug, Parser)]
#[command(name = "overt", version, after_help = EXIT_CODES, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    List(ListArgs),
    Call(CallArgs),
    Run(Box<RunArgs>),
    Pins(PinsArgs),
    Login(Box<LoginArgs>),
    Logout(Box<LogoutArgs>),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// The same table as `failure::Exit`; a test compares the two.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0    everything went well
  1    the tool answered that it failed, or something differs (`overt pins diff`)
  2    the command line or a file it names is wrong: bad arguments, unknown tool, bad target
  3    the server can't be reached, broke the protocol, refused the request or took too long
  130  interrupted";
