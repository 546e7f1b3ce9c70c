//! Where the values come from: defaults, the file, the environment, flags; each over the ones
//! before (H-15). Everything that is wrong with any of them is said at once.
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use overt_policy::Rules;
use overt_policy::config::Config;
use overt_policy::setting::{DeclaredSettings, Origin, Setting, SettingValues, SourceValues};
use overt_policy::toml_file::{FileError, located};

use super::file::FileText;
use super::meaning::ControlSettings;
use super::reader::Reader;
use super::shield::Shield;
use super::table::{ROOTS, Table};
use super::{file, folders};
use crate::args::ControlArgs;
use crate::failure::Complaint;
use crate::settings::{Env, OfFiles, StateDir, given_config, user_file};

/// A state of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileStamp {
    modified: Option<SystemTime>,
    length: u64,
    inode: u64,
}

const GONE: &str = "can't be read: it is gone";

/// The version of a text that is in force nowhere.
const SUPPOSED: &str = "supposed";

/// The user's own file, if there is one, or why it can't be read.
type UserText = Result<Option<FileText>, String>;

/// What was given when the program began; the file can change since.
#[derive(Debug)]
pub(crate) struct ControlSources {
    declared: Arc<DeclaredSettings>,
    file: Option<PathBuf>,
    environment: SourceValues,
    flags: SourceValues,
    /// The command that they are for.
    command: &'static str,
    shield: Shield,
    /// The user's own file, which need not be there.
    user: Option<PathBuf>,
    /// Of the user's file when it was read first.
    user_stamp: Option<FileStamp>,
    /// None where the files are read like any other.
    reader: Option<Reader>,
    user_reader: Option<Reader>,
}

/// The settings can't be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ControlError {
    #[error("the settings can't be used\n{}", problems.join("\n"))]
    Settings { problems: Vec<String>, command: &'static str },
    /// A folder that was named on the command line. What is wrong with it says what to do.
    #[error("can't serve {}", .0.join("; "))]
    Roots(Vec<String>),
}

impl Complaint for ControlError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Settings { command, .. } => Some(format!(
                "docs/settings.md lists the settings; `overt {command} --show-settings` shows what they are and why"
            )),
            Self::Roots(_) => None,
        }
    }
}

impl ControlSources {
    /// Reads everything once. The sources are for reading it again.
    pub(crate) fn resolve<T: Table>(
        args: &ControlArgs<T>,
        env: &Env,
    ) -> Result<(Self, ControlSettings), ControlError> {
        let mut problems = Vec::new();
        let mut wrong_roots = Vec::new();
        let declared = Arc::new(T::declared());
        let file = given_config(args.config.as_deref(), env);
        let serves_files = declared.iter().any(folders::is_folders);
        let user = user_file(env);
        let state = serves_files.then(|| StateDir::resolve(env).ok()).flatten();
        let sources = Self {
            shield: match serves_files {
                true => {
                    let files: Vec<&Path> = file.iter().chain(&user).map(PathBuf::as_path).collect();
                    Shield::new(state.as_ref().map(StateDir::path), &files)
                }
                false => Shield::default(),
            },
            reader: None,
            user_reader: None,
            // Before it is read: what changes meanwhile is read again.
            user_stamp: user.as_deref().and_then(stamp),
            user,
            file,
            environment: environment(&declared, env, &mut problems),
            flags: flags(&declared, args, &mut problems, &mut wrong_roots),
            declared,
            command: T::COMMAND,
        };
        if !wrong_roots.is_empty() {
            return Err(ControlError::Roots(wrong_roots));
        }
        let read = sources.read(sources.user_text(), &mut problems);
        match read {
            Some(settings) if problems.is_empty() => Ok((sources, settings)),
            _ => Err(ControlError::Settings { problems, command: T::COMMAND }),
        }
    }

    /// The settings with the file as it is now. What was in force stays in force if it can't be
    /// used.
    pub(crate) fn reload(&self) -> Result<ControlSettings, ControlError> {
        self.with_user_text(self.user_text())
    }

    /// What would be in force if the user's own file had this text. An empty text stands for no
    /// file.
    pub(crate) fn supposing(&self, user_text: &str) -> Result<ControlSettings, ControlError> {
        let text = FileText { text: user_text.to_owned(), version: SUPPOSED.to_owned() };
        self.with_user_text(Ok((!user_text.trim().is_empty()).then_some(text)))
    }

    fn with_user_text(&self, user: UserText) -> Result<ControlSettings, ControlError> {
        let mut problems = Vec::new();
        match self.read(user, &mut problems) {
            Some(settings) if problems.is_empty() => Ok(settings),
            _ => Err(ControlError::Settings { problems, command: self.command }),
        }
    }

    /// The file can be read again also from a sandbox that this thread enters later.
    pub(crate) fn prepare_for_sandbox(&mut self) -> io::Result<()> {
        self.reader = self.file.clone().map(Reader::start).transpose()?;
        self.user_reader = self.user.clone().map(Reader::start).transpose()?;
        Ok(())
    }

    /// The file, if there is one.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The user's own file, which need not be there.
    pub(crate) fn user_file(&self) -> Option<&Path> {
        self.user.as_deref()
    }

    /// What tells one state of the user's file from the next; none if it is not there. Also works
    /// in a sandbox.
    pub(crate) fn user_file_stamp(&self) -> Option<FileStamp> {
        self.user.as_deref().and_then(stamp)
    }

    /// The stamp of the file when it was first read.
    pub(crate) fn first_user_file_stamp(&self) -> Option<FileStamp> {
        self.user_stamp
    }

    fn user_text(&self) -> UserText {
        match (&self.user, &self.user_reader) {
            (None, _) => Ok(None),
            (Some(_), Some(reader)) => reader.read(),
            (Some(path), None) => file::read_if_there(path),
        }
    }

    fn read(&self, user: UserText, problems: &mut Vec<String>) -> Option<ControlSettings> {
        let (config, version) = match &self.file {
            None => (Config::default(), file::NO_FILE.to_owned()),
            Some(path) => self.read_file(path, problems)?,
        };
        let (user, version) = self.read_user_file(user, version, problems)?;
        let values = SettingValues::defaults(Arc::clone(&self.declared))
            .over(user.settings)
            .over(config.settings)
            .adding(self.environment.clone())
            .adding(self.flags.clone());
        let values = folders::placed(&values, &self.shield, problems);
        let rules = joined(&user.rules, &config.rules);
        Some(ControlSettings::new(
            values,
            user.policy.meet(&config.policy),
            rules,
            version,
            self.user.as_deref(),
        ))
    }

    /// What the user wrote for all servers. It restricts whatever else is in force; its settings
    /// are weaker than all others.
    fn read_user_file(
        &self,
        text: UserText,
        version: String,
        problems: &mut Vec<String>,
    ) -> Option<(Config, String)> {
        let Some(path) = &self.user else { return Some((Config::default(), version)) };
        let name = path.display().to_string();
        let text = match text {
            Ok(None) => return Some((Config::default(), version)),
            Ok(Some(text)) => text,
            Err(why) => {
                problems.push(format!("`{name}` {why}"));
                return None;
            }
        };
        if text.text.trim().is_empty() {
            // As with the other file: a program may just be writing it.
            problems.push(format!("`{name}` is empty; write what holds, or remove it"));
            return None;
        }
        // It is for every command, so it may have settings that this one has not.
        let config = parse(&text.text, &name, &OfFiles::declared(), problems)?;
        let version = match version.as_str() {
            file::NO_FILE => text.version,
            _ => format!("{version} user {}", text.version),
        };
        Some((config, version))
    }

    fn read_file(&self, path: &Path, problems: &mut Vec<String>) -> Option<(Config, String)> {
        let name = path.display().to_string();
        let read = match &self.reader {
            None => file::read(path),
            Some(reader) => reader.read().and_then(|text| text.ok_or_else(|| GONE.to_owned())),
        };
        let text = match read {
            Ok(text) => text,
            Err(why) => {
                problems.push(format!("`{name}` {why}"));
                return None;
            }
        };
        if text.text.trim().is_empty() {
            // A program may just be writing the file: the settings that it held stay in force
            // meanwhile.
            problems.push(format!("`{name}` is empty; write what holds, or start without it"));
            return None;
        }
        parse(&text.text, &name, &self.declared, problems).map(|config| (config, text.version))
    }
}

/// What a file says. Everything that is wrong with it becomes a problem.
fn parse(text: &str, name: &str, declared: &DeclaredSettings, problems: &mut Vec<String>) -> Option<Config> {
    match Config::parse(text, name, declared) {
        Ok(config) => Some(config),
        Err(FileError::Wrong { mut findings }) => {
            findings.sort_by_key(|(line, _)| *line);
            let said = findings.iter().map(|(line, finding)| format!("`{name}` {}", located(*line, finding)));
            problems.extend(said);
            None
        }
        Err(error) => {
            problems.push(format!("`{name}` {error}"));
            None
        }
    }
}

/// All rules of both. Two files may use one id: a rule of the user is told apart by its place.
fn joined(user: &Rules, config: &Rules) -> Rules {
    user.iter().chain(config.iter()).cloned().collect()
}

fn stamp(path: &Path) -> Option<FileStamp> {
    let found = std::fs::metadata(path).ok()?;
    Some(FileStamp { modified: found.modified().ok(), length: found.len(), inode: inode(&found) })
}

fn inode(found: &std::fs::Metadata) -> u64 {
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::ino(found);
    #[cfg(not(unix))]
    {
        let _ = found;
        0
    }
}

fn environment(declared: &DeclaredSettings, env: &Env, problems: &mut Vec<String>) -> SourceValues {
    let mut given = SourceValues::default();
    for setting in declared.iter() {
        let name = setting.variable();
        let Some(value) = env.variable(&name) else { continue };
        let origin = Origin::Environment(name.clone());
        if folders::is_folders(setting) {
            match folders::parse_variable(setting, value.to_str().unwrap_or_default()) {
                Ok(held) => given.set(setting.key, held, origin),
                Err(problem) => problems.push(format!("environment variable `{name}`: {problem}")),
            }
            continue;
        }
        let words = value.to_str().map(|word| vec![word.to_owned()]).unwrap_or_default();
        take(setting, &words, origin, &format!("environment variable `{name}`"), &mut given, problems);
    }
    given
}

/// What the flags say. What is wrong with the folders to serve goes to `wrong_roots`: they are
/// typed without a flag.
fn flags<T: Table>(
    declared: &DeclaredSettings,
    args: &ControlArgs<T>,
    problems: &mut Vec<String>,
    wrong_roots: &mut Vec<String>,
) -> SourceValues {
    let mut given = SourceValues::default();
    for setting in declared.iter() {
        let Some(words) = args.given.words(setting.key) else { continue };
        let name = format!("--{}", setting.flag());
        if folders::is_folders(setting) {
            let name = if setting.key == ROOTS { "ROOT" } else { &name };
            match folders::parse(setting, words) {
                Ok(held) => given.set(setting.key, held, Origin::Flag(name.to_owned())),
                Err(problem) if setting.key == ROOTS => wrong_roots.push(problem),
                Err(problem) => problems.push(format!("`{name}`: {problem}")),
            }
            continue;
        }
        take(setting, words, Origin::Flag(name.clone()), &format!("flag `{name}`"), &mut given, problems);
    }
    given
}

fn take(
    setting: &Setting,
    words: &[String],
    origin: Origin,
    place: &str,
    given: &mut SourceValues,
    problems: &mut Vec<String>,
) {
    match setting.parse(words.iter().map(String::as_str)) {
        Ok(held) => given.set(setting.key, held, origin),
        Err(fault) => problems.push(format!("{place}: {}; {}", fault.problem, fault.fix)),
    }
}
