//! The sources of the values: defaults, the file, the environment and flags; each overrides the
//! ones before (H-15). All problems of all sources are reported at once.
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use overt_policy::Rules;
use overt_settings::config::Config;
use overt_settings::toml_file::{FileError, located};
use overt_settings::{DeclaredSettings, Origin, Setting, SettingValues, SourceValues};

use super::file::FileText;
use super::meaning::ControlSettings;
use super::reader::Reader;
use super::shield::Shield;
use super::table::{ROOTS, Table};
use super::{file, folders};
use crate::args::ControlArgs;
use crate::error::Diagnostic;
use crate::settings::{Env, OfFiles, StateDir, given_config, user_file};

/// Identifies a state of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileStamp {
    modified: Option<SystemTime>,
    length: u64,
    inode: u64,
}

const GONE: &str = "can't be read: it is gone";

/// The version of a text that is not in force.
const DRAFT: &str = "supposed";

/// The user's own file, `None` if it does not exist, or the reason why it cannot be read.
type UserText = Result<Option<FileText>, String>;

/// The sources as they were at startup; the files can change afterwards.
#[derive(Debug)]
pub(crate) struct ControlSources {
    declared: Arc<DeclaredSettings>,
    file: Option<PathBuf>,
    environment: SourceValues,
    flags: SourceValues,
    /// The command to which the settings belong.
    command: &'static str,
    shield: Shield,
    /// The path of the user's own file, which need not exist.
    user: Option<PathBuf>,
    /// The stamp of the user's file, taken just before it was first read.
    user_stamp: Option<FileStamp>,
    /// `None` if the files are read directly.
    reader: Option<Reader>,
    user_reader: Option<Reader>,
}

/// The settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ControlError {
    #[error("the settings can't be used\n{}", problems.join("\n"))]
    Settings { problems: Vec<String>, command: &'static str },
    /// Problems of folders on the command line. Each also says what to do.
    #[error("can't serve {}", .0.join("; "))]
    Roots(Vec<String>),
}

impl Diagnostic for ControlError {
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
    /// Reads everything once. The returned sources serve to read it again.
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
            // Taken before the file is read, so that a change in between causes another read.
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

    /// Returns the settings with the current content of the files. On an error, the caller keeps
    /// the settings in force.
    pub(crate) fn reload(&self) -> Result<ControlSettings, ControlError> {
        self.with_user_text(self.user_text())
    }

    /// Returns the settings that would be in force if the user's own file had this text. An empty
    /// text means no file.
    pub(crate) fn with_draft(&self, user_text: &str) -> Result<ControlSettings, ControlError> {
        let text = FileText { text: user_text.to_owned(), version: DRAFT.to_owned() };
        self.with_user_text(Ok((!user_text.trim().is_empty()).then_some(text)))
    }

    fn with_user_text(&self, user: UserText) -> Result<ControlSettings, ControlError> {
        let mut problems = Vec::new();
        match self.read(user, &mut problems) {
            Some(settings) if problems.is_empty() => Ok(settings),
            _ => Err(ControlError::Settings { problems, command: self.command }),
        }
    }

    /// Makes it possible to read the files again after this thread enters a sandbox.
    pub(crate) fn prepare_for_sandbox(&mut self) -> io::Result<()> {
        self.reader = self.file.clone().map(Reader::start).transpose()?;
        self.user_reader = self.user.clone().map(Reader::start).transpose()?;
        Ok(())
    }

    /// The path of the settings file, if one is given.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The path of the user's own file, which need not exist.
    pub(crate) fn user_file(&self) -> Option<&Path> {
        self.user.as_deref()
    }

    /// A stamp that changes when the user's file changes; `None` if the file does not exist. This
    /// also works in a sandbox.
    pub(crate) fn user_file_stamp(&self) -> Option<FileStamp> {
        self.user.as_deref().and_then(stamp)
    }

    /// The stamp of the user's file when it was first read.
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
        let values = folders::with_canonical_folders(&values, &self.shield, problems);
        let rules = joined(&user.rules, &config.rules);
        Some(ControlSettings::new(
            values,
            user.policy.meet(&config.policy),
            rules,
            version,
            self.user.as_deref(),
        ))
    }

    /// Reads the settings that the user wrote for all servers. Their policy restricts everything
    /// else in force; their values have the lowest precedence.
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
            // Another program may be writing the file right now.
            problems.push(format!("`{name}` is empty; write what holds, or remove it"));
            return None;
        }
        // The file serves every command, so it may contain settings that this command lacks.
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
            // Another program may be writing the file right now; the previous settings stay in
            // force meanwhile.
            problems.push(format!("`{name}` is empty; write what holds, or start without it"));
            return None;
        }
        parse(&text.text, &name, &self.declared, problems).map(|config| (config, text.version))
    }
}

/// Parses a file. Every mistake in it becomes a problem.
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

/// Joins the rules of both files. Both may use the same id: the place of a user's rule
/// distinguishes it.
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

/// The values of the flags. Problems of the folders to serve go to `wrong_roots`, because they are
/// typed without a flag.
fn flags<T: Table>(
    declared: &DeclaredSettings,
    args: &ControlArgs<T>,
    problems: &mut Vec<String>,
    wrong_roots: &mut Vec<String>,
) -> SourceValues {
    let mut given = SourceValues::default();
    for setting in declared.iter() {
        let Some(words) = args.flags.words(setting.key) else { continue };
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
