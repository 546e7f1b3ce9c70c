//! Explains a mistake for which clap has only a misleading message: the command of a server without
//! `--` before it.
use std::ffi::OsString;

use clap::error::ErrorKind;

use crate::failure::{Complaint, Failure};
use crate::output::shell_word;
use crate::settings::is_target_word;

/// Commands whose first word is a URL or the name of one of our own servers.
const WITH_TARGET: [&str; 4] = ["list", "describe", "run", "inspect"];
/// Maximum number of words of the server's command that the message repeats.
const MOST_WORDS: usize = 8;

/// A program was given in place of a target, so clap took its arguments for options of Overt.
#[derive(Debug, thiserror::Error)]
#[error("`{program}` is not a target")]
struct CommandWithoutDashes {
    program: String,
    /// The corrected command line.
    meant: String,
}

impl Complaint for CommandWithoutDashes {
    fn hint(&self) -> Option<String> {
        Some(format!("the command that starts a server comes after `--`: `{}`", self.meant))
    }
}

/// The real mistake, if clap's error comes from a command without `--` before it.
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
