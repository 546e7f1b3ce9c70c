//! Client errors as the user sees them: with an exit code, and with hints in terms of our options.
use overt_transport::client::ClientError;
use overt_wire::error::code;

use crate::error::{CommandError, Diagnostic, ErrorKind};
use crate::listener::StderrTail;

impl Diagnostic for ClientError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Address { .. } | Self::Header { .. } => ErrorKind::User,
            _ => ErrorKind::Outside,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Status { status: 401 | 403, .. } => Some(
                "the server wants another authorization: `--token-env VAR` or `--token-file FILE` pass a token, \
                 `overt login` asks for one"
                    .to_owned(),
            ),
            Self::TimedOut { .. } => {
                Some("`--timeout` gives it more time, `-v` shows what happens meanwhile".to_owned())
            }
            Self::Refused(error) if error.code == code::MISSING_CLIENT_CAPABILITY => Some(
                "questions (elicitation) can be asked when standard input and standard error are a terminal; \
                 sampling is not offered"
                    .to_owned(),
            ),
            other => other.hint(),
        }
    }
}

/// Adds the end of the server's error output to a failure that it may explain, unless the failure
/// already shows it.
pub(super) fn with_stderr(mut failure: CommandError, words: &StderrTail) -> CommandError {
    let tells = |error: &ClientError| matches!(error, ClientError::Closed { .. } | ClientError::Start { .. });
    if failure.kind == ErrorKind::Outside && !failure.error.downcast_ref::<ClientError>().is_some_and(tells) {
        failure.server_said = words.text();
    }
    failure
}
