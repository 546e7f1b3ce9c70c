//! Reads the files that decide about calls, as they are written.
use std::path::{Path, PathBuf};

use overt_settings::config::{Config, TABLES};
use overt_settings::toml_file::{FileError, TomlFile, located};
use serde_json::Value;

use super::control::{Table as _, read_config_file};
use super::server_trust::{ServerTrust, TrustFile};
use super::{Env, OfFiles, given_config, user_file};
use crate::error::{CommandError, user_error};

/// The contents of one file.
#[derive(Debug)]
pub(crate) struct FileInForce {
    pub(crate) path: PathBuf,
    /// Its tables, as they are written.
    pub(crate) settings: Option<Value>,
    pub(crate) policy: Option<Value>,
    pub(crate) rules: Option<Value>,
    pub(crate) servers: Vec<ServerTrust>,
}

/// The user's own file, if it exists, and the file that an option or the environment names.
pub(crate) fn files_in_force(config: Option<&Path>, env: &Env) -> Result<Vec<FileInForce>, CommandError> {
    let own = user_file(env).filter(|path| path.exists());
    let given = given_config(config, env).filter(|given| own.as_ref() != Some(given));
    let read = |path: PathBuf| match read(&path) {
        Ok(file) => Ok(file),
        Err(why) => Err(user_error(format!("`{}` can't be used: {why}", path.display()))
            .hinted("`overt policy check` says everything that is wrong with a file")),
    };
    own.into_iter().chain(given).map(read).collect()
}

fn read(path: &Path) -> Result<FileInForce, String> {
    let text = read_config_file(path)?;
    // Only a valid file is shown, because an invalid one is not in force.
    Config::parse(&text, &path.to_string_lossy(), &OfFiles::declared()).map_err(|error| words(&error))?;
    let value = TomlFile::parse(&text).map_err(|error| words(&error))?.value;
    let [settings, policy, rules] = TABLES.map(|table| value.get(table).cloned());
    let servers = TrustFile::decisions_in(&text)?;
    Ok(FileInForce { path: path.to_owned(), settings, policy, rules, servers })
}

fn words(error: &FileError) -> String {
    match error {
        FileError::Wrong { findings } => {
            let said: Vec<String> = findings.iter().map(|(line, finding)| located(*line, finding)).collect();
            said.join("; ")
        }
        other => other.to_string(),
    }
}
