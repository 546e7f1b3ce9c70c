//! The error of every command that reads an audit log.
use overt_state::audit::AuditError;

use crate::failure::{Complaint, Failure};

/// A log can't be read.
#[derive(Debug, thiserror::Error)]
#[error("the audit log can't be read")]
struct UnreadableLog(#[source] AuditError);

impl Complaint for UnreadableLog {}

/// Turns an audit error into the failure of a command that only reads the log.
pub(crate) fn unreadable(error: AuditError) -> Failure {
    UnreadableLog(error).into()
}
