//! The error of every command that reads an audit log.
use overt_state::audit::AuditError;

use crate::failure::{Complaint, Failure};

/// A log can't be read.
#[derive(Debug, thiserror::Error)]
#[error("the audit log can't be read")]
struct UnreadableLog(#[source] AuditError);

impl Complaint for UnreadableLog {}

/// A log is read, not opened for writing.
pub(crate) fn unreadable(error: AuditError) -> Failure {
    UnreadableLog(error).into()
}
