//! The user's own `overt.toml`: what holds for every server that this user puts Overt in front of.
use std::path::PathBuf;

use super::Env;

/// Below the home folder. `XDG_CONFIG_HOME` is not looked at: many clients start servers without
/// it, and what a person forbids in a shell must hold for those too.
const BELOW_HOME: &str = ".config/overt/overt.toml";

/// Where it is, or would be. None without a home folder.
pub(crate) fn user_file(env: &Env) -> Option<PathBuf> {
    let home = env.variable("HOME").map(PathBuf::from).filter(|home| home.is_absolute())?;
    Some(home.join(BELOW_HOME))
}
