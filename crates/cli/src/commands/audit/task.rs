//! From settings to what was asked for.
use overt_state::audit::{AuditError, PublicKey};

use super::{find, verify};
use crate::failure::{Complaint, Exit, Failure};
use crate::output::Printer;
use crate::settings::{AuditSettings, Env, Verbosity};

/// A log can't be read.
#[derive(Debug, thiserror::Error)]
#[error("the audit log can't be read")]
pub(super) struct Unreadable(#[source] AuditError);

impl Complaint for Unreadable {}

/// A log is read, not opened for writing.
pub(crate) fn unreadable(error: AuditError) -> Failure {
    Unreadable(error).into()
}

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
