//! The error of every command that reads an audit log.
use overt_state::audit::AuditError;

use crate::error::{CommandError, user_error};

/// Turns an audit error into the failure of a command that only reads the log.
pub(crate) fn unreadable(error: AuditError) -> CommandError {
    user_error("the audit log can't be read").caused_by(error)
}
