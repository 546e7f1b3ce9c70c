//! What a server behind us may do: a flag for each setting, and what to do with them.
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use overt_spec::setting::{Kind, NOTHING, Setting};

use super::Format;
use crate::settings::control_settings;

const HEADING: &str = "Control options";

#[derive(Debug, Args)]
#[command(next_help_heading = HEADING)]
pub(crate) struct ControlArgs {
    /// Read settings, a policy that nothing passes, and rules from FILE (see docs/settings.md). Read again on SIGHUP
    /// [env: OVERT_CONFIG]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Print every setting with its value and where that came from, and do nothing else
    #[arg(long)]
    pub(crate) show_settings: bool,

    /// How to print the settings [default: text on a terminal, json otherwise]
    #[arg(long, value_enum, value_name = "FORMAT", requires = "show_settings")]
    pub(crate) format: Option<Format>,

    /// Print the JSON Schema of the settings, as clients get it, and do nothing else
    #[arg(long, conflicts_with = "show_settings")]
    pub(crate) print_config_schema: bool,

    #[command(flatten)]
    pub(crate) given: SettingFlags,
}

impl ControlArgs {
    /// A file and flags for a decision, where nothing is to be shown.
    pub(crate) fn of(config: Option<PathBuf>, given: SettingFlags) -> Self {
        Self { config, show_settings: false, format: None, print_config_schema: false, given }
    }
}

/// The words that were given for each setting. They are read together with the file and the environment, so that
/// everything that is wrong is said at once.
#[derive(Debug, Default)]
pub(crate) struct SettingFlags(Vec<(&'static str, Vec<String>)>);

impl SettingFlags {
    pub(crate) fn words(&self, key: &str) -> Option<&[String]> {
        self.0.iter().find(|(known, _)| *known == key).map(|(_, words)| words.as_slice())
    }

    #[cfg(test)]
    pub(crate) fn of(flags: &[(&'static str, &str)]) -> Self {
        Self(flags.iter().map(|(key, word)| (*key, vec![(*word).to_owned()])).collect())
    }
}

impl Args for SettingFlags {
    fn augment_args(command: Command) -> Command {
        let settings = control_settings();
        let command = command.next_help_heading(HEADING);
        settings
            .iter()
            .fold(command, |command, setting| command.arg(flag(setting, settings.default_text(setting.key))))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SettingFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let settings = control_settings();
        let given = settings.iter().filter_map(|setting| {
            let words = matches.get_many::<String>(&id(setting))?;
            Some((setting.key, words.cloned().collect()))
        });
        Ok(Self(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn flag(setting: &Setting, default: Option<String>) -> Arg {
    let help = help(setting, default);
    let arg = Arg::new(id(setting)).long(setting.flag()).value_name(setting.kind.placeholder()).help(help);
    match setting.kind {
        Kind::Flag => arg.num_args(0..=1).require_equals(true).default_missing_value("true"),
        Kind::Choice(words) => arg.value_parser(PossibleValuesParser::new(words)),
        kind if kind.is_list() => arg.action(ArgAction::Append),
        _ => arg,
    }
}

/// What it is for, its variable and its default, as the other options say them.
fn help(setting: &Setting, default: Option<String>) -> String {
    let repeats = if setting.kind.is_list() { " (repeatable)" } else { "" };
    // That nothing is switched on or listed needs no words.
    let default = default.filter(|_| !matches!(setting.kind, Kind::Flag)).filter(|text| text != NOTHING);
    let default = default.map_or_else(String::new, |text| format!(" [default: {text}]"));
    format!("{}{repeats} [env: {}]{default}", setting.description, setting.variable())
}

/// Apart from the names of other options.
fn id(setting: &Setting) -> String {
    format!("setting.{}", setting.key)
}
