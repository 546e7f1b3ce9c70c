//! Runs the task that the settings name.
use overt_state::audit::PublicKey;

use super::unreadable::unreadable;
use super::{find, verify};
use crate::failure::{Exit, Failure};
use crate::output::Printer;
use crate::settings::{AuditSettings, Env, Verbosity};

pub(crate) fn audit(settings: &AuditSettings, env: &Env) -> Result<Exit, Failure> {
    match settings {
        AuditSettings::Verify(settings) => verify::verify(settings, env),
        AuditSettings::Query(settings) => find::query(settings, env),
        AuditSettings::Export(settings) => find::export(settings, env),
        AuditSettings::Key(folder) => {
            let key = PublicKey::of_folder(folder).map_err(unreadable)?;
            Printer::new(Verbosity::Normal, env).text(&format!("{key}\n"))?;
            Ok(Exit::Ok)
        }
    }
}
