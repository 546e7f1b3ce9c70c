//! `overt ui`.
use std::net::SocketAddr;

use clap::Args;

use super::AnswerArgs;
use super::value::address;

/// Answer calls, and see what agents did, in the browser
///
/// A page on this machine: calls that wait for you with everything that they will change, what
/// agents did and how to take it back, the servers they used, and what you allowed. While it runs,
/// calls wait for your answer instead of being refused. Only you can open it: the address that is
/// printed has a token which holds until the program ends. Started by an agent, it only shows.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct UiArgs {
    #[command(flatten)]
    pub(crate) page: PageArgs,
}

/// The page, and who may answer on it.
#[derive(Debug, Args)]
pub(crate) struct PageArgs {
    /// Open the page in your browser
    #[arg(long)]
    pub(crate) open: bool,

    /// Listen on this address of this machine; port 0 takes any free port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0", value_parser = address)]
    pub(crate) listen: SocketAddr,

    #[command(flatten)]
    pub(crate) answer: AnswerArgs,
}

const EXAMPLES: &str = "\
Examples:
  overt ui --open
  overt ui --listen 127.0.0.1:7391";
