//! A mistake on the command line that clap sees and explains badly: the command of a server that is
//! not behind `--`.
use std::ffi::OsString;

use clap::error::ErrorKind;

use crate::failure::{Complaint, Failure};
use crate::output::shell_word;
use crate::settings::is_target_word;

/// Commands whose first word is a URL or the name of a server of ours.
const WITH_TARGET: [&str; 4] = ["list", "describe", "run", "inspect"];
/// Words of the server's command that are repeated.
const MOST_WORDS: usize = 8;

/// A program stands where a target should, and its arguments were taken for ours.
#[derive(Debug, thiserror::Error)]
#[error("`{program}` is not a target")]
struct CommandWithoutDashes {
    program: String,
    /// The command line as it should be.
    meant: String,
}

impl Complaint for CommandWithoutDashes {
    fn hint(&self) -> Option<String> {
        Some(format!("the command that starts a server comes after `--`: `{}`", self.meant))
    }
}

/// What is really wrong, if it is that.
pub(crate) fn command_without_dashes(error: &clap::Error, args: &[OsString]) -> Option<Failure> {
    if error.kind() != ErrorKind::UnknownArgument || args.iter().any(|word| word == "--") {
        return None;
    }
    let words: Vec<&str> = args.iter().skip(1).map(|word| word.to_str()).collect::<Option<_>>()?;
    let [command, server @ ..] = words.as_slice() else { return None };
    let program = *server.first()?;
    if !WITH_TARGET.contains(command) || program.starts_with('-') || is_target_word(program) {
        return None;
    }
    let mut shown: Vec<String> = server.iter().take(MOST_WORDS).map(|word| shell_word(word)).collect();
    if server.len() > MOST_WORDS {
        shown.push("…".to_owned());
    }
    let meant = format!("overt {command} -- {}", shown.join(" "));
    Some(CommandWithoutDashes { program: program.to_owned(), meant }.into())
}
