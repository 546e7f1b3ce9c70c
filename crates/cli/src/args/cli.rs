//! The program and its subcommands.
use std::ffi::OsString;

use clap::{Arg, ArgAction, Args, Parser, Subcommand};

use super::{ActivityArgs, UndoArgs};
use super::{
    AuditArgs, CallArgs, CardArgs, CompletionsArgs, DescribeArgs, DoctorArgs, ForbidArgs, FsArgs, GrantsArgs,
    InspectArgs, ListArgs, LoginArgs, LogoutArgs, ManArgs, PassphraseArgs, PermitArgs, PinsArgs, PolicyArgs,
    RunArgs, SkillArgs, SkillsArgs, TokenArgs, TrustArgs, UiArgs, UnwrapArgs, WatchArgs, WrapArgs,
};

/// See, approve, record and undo what AI agents do with their tools.
///
/// Data goes to standard output, everything else to standard error. What a server says is escaped
/// before it reaches a terminal.
///
/// Agents: `overt --ai-help` explains the program, `overt COMMAND --ai-help` a command.
#[derive(Debug, Parser)]
#[command(name = "overt", version, after_help = EXIT_CODES, max_term_width = 100, arg_required_else_help = true, arg = ai_help_flag(), disable_version_flag = true, arg = version_flag())]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Wrap(WrapArgs),
    Unwrap(UnwrapArgs),
    Doctor(DoctorArgs),
    Fs(Box<FsArgs>),
    List(ListArgs),
    Call(CallArgs),
    Describe(Box<DescribeArgs>),
    Card(CardArgs),
    Skill(SkillArgs),
    Skills(Box<SkillsArgs>),
    Run(Box<RunArgs>),
    Policy(PolicyArgs),
    Watch(WatchArgs),
    Ui(UiArgs),
    Inspect(Box<InspectArgs>),
    Forbid(ForbidArgs),
    Permit(PermitArgs),
    Grants(Box<GrantsArgs>),
    Trust(TrustArgs),
    Passphrase(PassphraseArgs),
    Token(TokenArgs),
    Pins(PinsArgs),
    Log(Box<ActivityArgs>),
    Undo(UndoArgs),
    Audit(AuditArgs),
    Login(Box<LoginArgs>),
    Logout(Box<LogoutArgs>),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

impl Command {
    /// The command, if it is one that serves and nothing is wrong with its options.
    pub(crate) fn server(args: &[OsString]) -> Option<Self> {
        let words = args.get(1..)?;
        match words.first()?.to_str()? {
            "fs" => read(words).map(Box::new).map(Self::Fs),
            "run" => read(words).map(Box::new).map(Self::Run),
            "skills" => read(words).map(Box::new).map(Self::Skills),
            _ => None,
        }
    }
}

/// Reads the options of a command whose name is the first word.
fn read<A: Args>(words: &[OsString]) -> Option<A> {
    let command = A::augment_args(clap::Command::new("overt"));
    let matches = command.try_get_matches_from(words).ok()?;
    A::from_arg_matches(&matches).ok()
}

/// The names of the flag that prints help for agents. They are looked for before clap looks at the
/// command line.
pub(crate) const AI_HELP: [&str; 4] = ["ai-help", "llm-help", "agent-help", "machine-help"];

/// Only for the help, the manual page and the completions.
fn ai_help_flag() -> Arg {
    let [name, aliases @ ..] = AI_HELP;
    Arg::new(name)
        .long(name)
        .aliases(aliases)
        .global(true)
        .action(ArgAction::SetTrue)
        .hide_short_help(true)
        .help("Print help for AI agents, as Markdown")
}

/// As clap makes it, but not in `-h`.
fn version_flag() -> Arg {
    Arg::new("version")
        .short('V')
        .long("version")
        .action(ArgAction::Version)
        .hide_short_help(true)
        .help("Print version")
}

/// The same table as `error::Exit`; a test compares the two.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0    everything went well
  1    the tool answered that it failed, or a check or a comparison found something
  2    the command line, or a file that it names, is wrong
  3    a server failed or can't be reached, or only a person may do this
  4    an audit log has no end, and no process writes it: after a crash or a cut
  130  interrupted";

#[cfg(test)]
mod tests {
    use clap::FromArgMatches as _;

    use super::*;
    use crate::args::program_with_short_help;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    /// A server's own options are read as the whole program reads them.
    #[test]
    fn a_server_is_read_as_the_whole_program_reads_it() {
        for line in [
            "overt fs",
            "overt fs . --read-only --hidden *.pem --deny write --http 127.0.0.1:0",
            "overt run --allow read --pin strict --env A=b -- server --help",
            "overt run https://mcp.example.com/mcp --token-env TOKEN",
            "overt skills skills --deny write",
        ] {
            let quick = Command::server(&words(line));
            let matches = program_with_short_help().try_get_matches_from(words(line));
            let whole = matches.and_then(|matches| Cli::from_arg_matches(&matches)).map(|cli| cli.command);
            assert_eq!(format!("{quick:?}"), format!("{:?}", whole.ok()), "{line}");
            assert!(quick.is_some(), "{line}");
        }
    }

    /// Help and mistakes are left to the whole program, which has the words for them.
    #[test]
    fn help_and_mistakes_are_left_to_the_whole_program() {
        for line in
            ["overt fs -h", "overt run --help", "overt fs --redonly", "overt list", "overt help fs", "overt"]
        {
            assert!(Command::server(&words(line)).is_none(), "{line}");
        }
    }
}
