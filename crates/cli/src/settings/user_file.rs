//! Paths of the settings files: the user's own `overt.toml`, which applies to every server that
//! this user puts Overt in front of, and the file that a command is given.
use std::path::{Path, PathBuf};

use super::Env;

/// Path below the home folder. `XDG_CONFIG_HOME` is ignored: many clients start servers without it,
/// and what a person forbids in a shell must hold for those servers too.
const BELOW_HOME: &str = ".config/overt/overt.toml";

/// The path of the user's file, which may not exist. `None` without a home folder.
pub(crate) fn user_file(env: &Env) -> Option<PathBuf> {
    let home = env.variable("HOME").map(PathBuf::from).filter(|home| home.is_absolute())?;
    Some(home.join(BELOW_HOME))
}

/// The variable that names the file if no flag does.
const OVERT_CONFIG: &str = "OVERT_CONFIG";

/// The file that a flag names, or else the environment.
pub(crate) fn given_config(flag: Option<&Path>, env: &Env) -> Option<PathBuf> {
    let from_env = || env.variable(OVERT_CONFIG).filter(|name| !name.is_empty()).map(PathBuf::from);
    flag.map(Path::to_owned).or_else(from_env)
}
