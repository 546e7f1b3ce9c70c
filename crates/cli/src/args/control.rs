//! What a server may do: a flag for each setting of a command, and options that show the settings.
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use overt_settings::{DeclaredSettings, Kind, NOTHING, Setting};

use super::Format;
use crate::settings::{OfRun, Table, names_paths, placeholder};

const HEADING: &str = "Control options";

#[derive(Debug, Args)]
#[command(next_help_heading = HEADING)]
pub(crate) struct ControlArgs<T: Table = OfRun> {
    #[command(flatten)]
    pub(crate) flags: SettingFlags<T>,

    /// Read settings, a policy that nothing passes, and rules from FILE (see docs/settings.md).
    /// Read again on SIGHUP [env: OVERT_CONFIG]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Print every setting with its value and where that came from, and do nothing else
    #[arg(long)]
    pub(crate) show_settings: bool,

    /// How to print the settings [env: OVERT_FORMAT] [default: text]
    #[arg(long, value_enum, value_name = "FORMAT", requires = "show_settings")]
    pub(crate) format: Option<Format>,

    /// Print the JSON Schema of the settings, as clients get it, and do nothing else
    #[arg(long, conflicts_with = "show_settings")]
    pub(crate) print_config_schema: bool,
}

impl<T: Table> ControlArgs<T> {
    /// A file and flags for a decision, where nothing is to be shown.
    pub(crate) fn of(config: Option<PathBuf>, flags: SettingFlags<T>) -> Self {
        Self { config, show_settings: false, format: None, print_config_schema: false, flags }
    }

    /// The options that decide the same way once more, wherever the program is started.
    pub(crate) fn command_line(&self) -> Vec<String> {
        let mut words = self.flags.command_line();
        if let Some(config) = &self.config {
            words.extend(["--config".to_owned(), absolute(config)]);
        }
        words
    }
}

/// The words that were given for each setting of a table. They are read together with the file and
/// the environment, so that everything that is wrong is said at once.
#[derive(Debug)]
pub(crate) struct SettingFlags<T: Table = OfRun> {
    words: Vec<(&'static str, Vec<String>)>,
    table: PhantomData<T>,
}

impl<T: Table> SettingFlags<T> {
    pub(crate) fn words(&self, key: &str) -> Option<&[String]> {
        self.words.iter().find(|(known, _)| *known == key).map(|(_, words)| words.as_slice())
    }

    /// The words that give the same settings once more, wherever the program is started, without
    /// what stands there without a dash.
    fn command_line(&self) -> Vec<String> {
        let declared = T::declared();
        let given = declared.iter().filter(|setting| setting.kind != Kind::Regions);
        let given = given.filter_map(|setting| Some((setting, self.words(setting.key)?)));
        let flags = given.flat_map(|(setting, words)| {
            let flag = format!("--{}", setting.flag());
            words.iter().flat_map(move |word| match (setting.kind, word.as_str()) {
                (Kind::Flag, "true") => vec![flag.clone()],
                (Kind::Flag, word) => vec![format!("{flag}={word}")],
                (_, word) if names_paths(setting) => vec![flag.clone(), absolute(Path::new(word))],
                (_, word) => vec![flag.clone(), word.to_owned()],
            })
        });
        flags.collect()
    }

    #[cfg(test)]
    pub(crate) fn of(flags: &[(&'static str, &str)]) -> Self {
        let words = flags.iter().map(|(key, word)| (*key, vec![(*word).to_owned()])).collect();
        Self { words, table: PhantomData }
    }
}

impl<T: Table> Default for SettingFlags<T> {
    fn default() -> Self {
        Self { words: Vec::new(), table: PhantomData }
    }
}

impl<T: Table> Args for SettingFlags<T> {
    fn augment_args(command: Command) -> Command {
        let settings = T::declared();
        T::groups().iter().fold(command, |command, (heading, group)| {
            let command = command.next_help_heading(*heading);
            group.iter().fold(command, |command, setting| command.arg(flag(setting, &settings)))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<T: Table> FromArgMatches for SettingFlags<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let settings = T::declared();
        let given = settings.iter().filter_map(|setting| {
            let words = matches.get_many::<String>(&id(setting))?;
            Some((setting.key, words.cloned().collect()))
        });
        Ok(Self { words: given.collect(), table: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn flag(setting: &Setting, settings: &DeclaredSettings) -> Arg {
    let help = help(setting, settings.default_text(setting.key));
    if setting.kind == Kind::Regions {
        // The folders that a command serves are positional arguments.
        return Arg::new(id(setting)).value_name("ROOT").num_args(0..).help(help).help_heading(None);
    }
    let arg = Arg::new(id(setting)).long(setting.flag()).value_name(placeholder(setting)).help(help);
    match setting.kind {
        Kind::Flag => arg.num_args(0..=1).require_equals(true).default_missing_value("true"),
        Kind::Choice(words) => arg.value_parser(PossibleValuesParser::new(words)),
        kind if kind.is_list() => arg.action(ArgAction::Append),
        _ => arg,
    }
}

/// What it is for, its variable and its default, as the other options say them.
fn help(setting: &Setting, default: Option<String>) -> String {
    let is_repeated = setting.kind.is_list() && setting.kind != Kind::Regions;
    let repeats = if is_repeated { " (repeatable)" } else { "" };
    // Flags that are off and empty lists need no default in the help.
    let default = default.filter(|_| !matches!(setting.kind, Kind::Flag)).filter(|text| text != NOTHING);
    let default = default.map_or_else(String::new, |text| format!(" [default: {text}]"));
    format!("{}{repeats} [env: {}]{default}", setting.description, setting.variable())
}

/// A path as it is called from every folder, without `.` and `..` where it exists.
fn absolute(path: &Path) -> String {
    let whole = path.canonicalize().or_else(|_| std::path::absolute(path));
    whole.as_deref().unwrap_or(path).to_string_lossy().into_owned()
}

/// Apart from the names of other options.
fn id(setting: &Setting) -> String {
    format!("setting.{}", setting.key)
}
