//! The settings of `overt watch`, and the capabilities of the terminal.
use std::path::PathBuf;

use anstream::{AutoStream, ColorChoice};

use super::audit::logs_folder;
use super::{ControlPlan, Env, StateDir};
use crate::args::WatchArgs;
use crate::error::{CommandError, user_error};

#[derive(Debug)]
pub(crate) struct WatchSettings {
    pub(crate) state: StateDir,
    /// How decisions are recorded.
    pub(crate) audit: ControlPlan,
    /// The folder that contains all logs.
    pub(crate) logs: PathBuf,
    pub(crate) display: Display,
    pub(crate) notice: Notice,
    pub(crate) has_colour: bool,
    pub(crate) home: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Display {
    /// The full screen.
    Full,
    /// Line by line.
    Plain,
}

/// How a person who looks elsewhere is notified of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Notice {
    /// Runs this `notify-send`.
    NotifySend(PathBuf),
    AppleScript,
    /// The terminal's bell.
    Bell,
    Nothing,
}

impl WatchSettings {
    pub(crate) fn resolve(args: &WatchArgs, env: &Env) -> Result<Self, CommandError> {
        if !(env.stdin_is_terminal && env.stdout_is_terminal) {
            return Err(user_error("`overt watch` needs a terminal").hinted(
                "`overt grants pending --watch` shows questions to programs, and `overt grants allow` answers them",
            ));
        }
        let is_dumb = matches!(env.get("TERM"), None | Some("" | "dumb"));
        let has_colour = !args.no_color && AutoStream::choice(&std::io::stdout()) != ColorChoice::Never;
        Ok(Self {
            state: StateDir::resolve(env)?,
            audit: ControlPlan::of_grants(env)?,
            logs: logs_folder(env)?,
            display: if args.plain || is_dumb { Display::Plain } else { Display::Full },
            notice: if args.no_notify { Notice::Nothing } else { notice(env) },
            has_colour,
            home: env.get("HOME").map(str::to_owned),
        })
    }
}

/// A desktop notification if there is a desktop, or else the bell.
fn notice(env: &Env) -> Notice {
    if cfg!(target_os = "macos") {
        return Notice::AppleScript;
    }
    let has_bus = env.get("DBUS_SESSION_BUS_ADDRESS").is_some_and(|address| !address.is_empty());
    let folders = env.variable("PATH").map(std::env::split_paths).into_iter().flatten();
    let mut programs = folders.map(|folder| folder.join("notify-send")).filter(|path| path.is_absolute());
    match programs.find(|path| path.is_file()).filter(|_| has_bus) {
        Some(program) => Notice::NotifySend(program),
        None => Notice::Bell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_desktop_is_told_only_where_there_is_one() {
        if cfg!(target_os = "macos") {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("notify-send");
        std::fs::write(&program, "").unwrap();
        let path = folder.path().to_string_lossy().into_owned();
        let bus = ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/x");
        assert_eq!(notice(&Env::of(&[("PATH", &path), bus])), Notice::NotifySend(program));
        assert_eq!(notice(&Env::of(&[("PATH", &path)])), Notice::Bell);
        assert_eq!(notice(&Env::of(&[("PATH", "/nonexistent"), bus])), Notice::Bell);
        assert_eq!(notice(&Env::of(&[bus])), Notice::Bell);
    }
}
