//! `overt trust`.
use std::path::PathBuf;

use clap::Args;
use overt_policy::Trust;

use super::value::explained_word;
use super::{AnswerArgs, OutputArgs};

/// Decide how far you believe what a server says about its own tools
///
/// A server can say that a tool only reads. Overt can't check that, so you decide once for each
/// server and project whether such a tool runs without asking you. A decision covers the
/// definitions that you were shown; a tool that is new or changed asks. `overt trust` without a
/// server lists your decisions.
#[derive(Debug, Args)]
#[command(override_usage = USAGE, after_help = EXAMPLES)]
pub(crate) struct TrustArgs {
    /// The server, as `overt grants pending` names it: `notes#1a2b3c4d`, or `notes` if there is
    /// only one
    #[arg(value_name = "SERVER")]
    pub(crate) server: Option<String>,

    /// How much you want to be asked [default: changes]
    #[arg(value_name = "LEVEL", requires = "server", value_parser = explained_word(meaning))]
    pub(crate) level: Option<Trust>,

    /// The project that the decision is for [default: the current folder]
    #[arg(long, value_name = "DIR", requires = "server", conflicts_with = "no_project")]
    pub(crate) project: Option<PathBuf>,

    /// Decide about a server that is served over HTTP, where clients have no project
    #[arg(long, requires = "server")]
    pub(crate) no_project: bool,

    /// Take the decision back: the next call asks again
    #[arg(long, requires = "server", conflicts_with = "level")]
    pub(crate) forget: bool,

    /// List your decisions, as without a server
    #[arg(long, conflicts_with = "server")]
    pub(crate) list: bool,

    #[command(flatten)]
    pub(crate) answer: AnswerArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

fn meaning(trust: Trust) -> &'static str {
    match trust {
        Trust::Changes => "Ask for changes: a tool that says it only reads runs without asking",
        Trust::Everything => "Ask for everything: every call asks",
        Trust::Deletes => {
            "Ask for deletes: what says it deletes nothing and stays on this machine runs without asking"
        }
        Trust::Nothing => "Ask for nothing: no call asks, and every call is recorded",
    }
}

const USAGE: &str = "\
overt trust <SERVER> [LEVEL] [--project <DIR>|--no-project]
       overt trust <SERVER> --forget [--project <DIR>|--no-project]
       overt trust [--list]";

const EXAMPLES: &str = "\
Examples:
  overt trust server-filesystem
  overt trust notes everything --project ~/site
  overt trust notes --forget
  overt trust --list";
