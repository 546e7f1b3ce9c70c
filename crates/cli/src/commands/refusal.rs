//! Errors of the conversation as the user sees them: exit code, and hints in terms of our options.
use overt_transport::client::ClientError;

use crate::failure::{Complaint, Exit, Failure};

impl Complaint for ClientError {
    fn exit(&self) -> Exit {
        match self {
            Self::Address { .. } | Self::Header { .. } => Exit::Usage,
            _ => Exit::Outside,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Status { status: 401 | 403, .. } => Some(
                "the server wants authorization: put `Bearer TOKEN` into a variable and pass \
                 `--header-env Authorization=VARIABLE`"
                    .to_owned(),
            ),
            Self::TimedOut { .. } => {
                Some("`--timeout` gives it more time, `-v` shows what it says meanwhile".to_owned())
            }
            other => other.hint(),
        }
    }
}

/// Adds the end of the server's error output, unless the error tells it already.
pub(super) fn with_stderr(mut failure: Failure, stderr: &str) -> Failure {
    let told = failure
        .error
        .downcast_ref::<ClientError>()
        .is_some_and(|error| matches!(error, ClientError::Closed { .. }));
    if failure.exit == Exit::Outside && !told && !stderr.is_empty() {
        failure.server_said = Some(last_lines(stderr));
    }
    failure
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(MOST)..].join("\n")
}

/// Lines of the server's error output that are shown with an error.
const MOST: usize = 20;
