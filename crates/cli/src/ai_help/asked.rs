//! Detects whether a command line asks for the help, and for which command. It examines only words,
//! so it works whatever else is wrong with them.
use std::ffi::OsString;

use clap::Command;

use super::{command, program};
use crate::args::AI_HELP;

/// The requested help; `None` if the command line does not ask for it. Words after `--` belong to a
/// server.
pub(crate) fn ai_help(args: &[OsString]) -> Option<String> {
    let words: Vec<&str> =
        args.iter().skip(1).take_while(|arg| *arg != "--").filter_map(|arg| arg.to_str()).collect();
    let is_flag = |word: &str| word.strip_prefix("--").is_some_and(|name| AI_HELP.contains(&name));
    if !words.iter().any(|word| is_flag(word)) {
        return None;
    }
    let mut program = crate::args::program();
    // Fills in the full name of every command, and the global options.
    program.build();
    let path = named(&program, &words);
    Some(if path.len() == 1 { program::render(&program) } else { command::render(&path) })
}

/// The path from the program to the innermost command that the words name. The first word that is
/// not a command is an argument.
fn named<'a>(program: &'a Command, words: &[&str]) -> Vec<&'a Command> {
    let mut path = vec![program];
    let mut innermost = program;
    for word in words.iter().filter(|word| !word.starts_with('-')) {
        match innermost.find_subcommand(word) {
            Some(command) if command.get_name() != "help" => {
                path.push(command);
                innermost = command;
            }
            _ => break,
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn title(line: &str) -> Option<String> {
        let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let help = ai_help(&args)?;
        Some(help.lines().find(|line| line.starts_with("# "))?.to_owned())
    }

    #[test]
    fn d_35_the_command_line_says_which_command() {
        for (line, expected) in [
            ("overt --ai-help", Some("# Overt")),
            ("overt --llm-help", Some("# Overt")),
            ("overt --agent-help", Some("# Overt")),
            ("overt --machine-help", Some("# Overt")),
            ("overt help --ai-help", Some("# Overt")),
            ("overt nonsense --ai-help", Some("# Overt")),
            ("overt list --ai-help", Some("# overt list")),
            ("overt --ai-help list", Some("# overt list")),
            ("overt list --frmat xml http://x --ai-help", Some("# overt list")),
            ("overt call pins diff --ai-help", Some("# overt call")),
            ("overt pins --ai-help", Some("# overt pins")),
            ("overt pins diff x --ai-help --nonsense", Some("# overt pins diff")),
            ("overt", None),
            ("overt list", None),
            ("overt list -- server --ai-help", None),
            ("overt call tool text=--ai-help", None),
            ("overt call tool --ai-help=yes", None),
        ] {
            assert_eq!(title(line).as_deref(), expected, "{line}");
        }
    }
}
