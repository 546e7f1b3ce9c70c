//! Explains a mistake for which clap has only a misleading message: the command of a server without
//! `--` before it.
use std::ffi::OsString;

use clap::error::ErrorKind;

use crate::error::{CommandError, user_error};
use crate::output::shell_word;
use crate::settings::is_target_word;

/// Commands whose first word is a URL or the name of one of our own servers.
const WITH_TARGET: [&str; 4] = ["list", "describe", "run", "inspect"];
/// Maximum number of words of the server's command that the message repeats.
const MOST_WORDS: usize = 8;

/// The real mistake, if clap's error comes from a command without `--` before it.
pub(crate) fn command_without_dashes(error: &clap::Error, args: &[OsString]) -> Option<CommandError> {
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
    Some(
        user_error(format!("`{program}` is not a target"))
            .hinted(format!("the command that starts a server comes after `--`: `{meant}`")),
    )
}
