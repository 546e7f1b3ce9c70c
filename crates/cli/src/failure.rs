//! How a command fails: the party at fault, the chain of causes, and what to do next.
use std::error::Error;
use std::process::ExitCode;

/// Every exit code of the program. `overt --help` and `docs/cli.md` show the same table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything went well.
    Ok = 0,
    /// The tool reported a failure, or a check or comparison found something.
    Findings = 1,
    /// The command line, or a file that it names, is wrong.
    Usage = 2,
    /// Something outside the command failed: a server cannot be reached, broke the protocol,
    /// refused the request or took too long, or a file cannot be written. Or only a person may do
    /// this, and nothing shows that a person does.
    Outside = 3,
    /// An audit log is intact but has no end, and no process is writing it. A crash leaves a log
    /// like this, and so does cutting it off.
    Unfinished = 4,
    /// Ctrl-C, or another signal that asks the process to end.
    Interrupted = 130,
}

/// An error with everything that is reported to the user.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) error: Box<dyn Error + Send + Sync>,
    pub(crate) hint: Option<String>,
    /// The end of the server's standard error output, if it may explain the failure.
    pub(crate) server_said: Option<String>,
}

/// An error that knows its exit code and what to do about it. Messages may quote text from others,
/// which is escaped when it is printed.
pub(crate) trait Complaint: Error + Send + Sync + Sized + 'static {
    fn exit(&self) -> Exit {
        Exit::Usage
    }

    fn hint(&self) -> Option<String> {
        None
    }
}

impl<C: Complaint> From<C> for Failure {
    fn from(complaint: C) -> Self {
        Self { exit: complaint.exit(), hint: complaint.hint(), error: Box::new(complaint), server_said: None }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::EXIT_CODES;

    #[test]
    fn the_help_lists_every_exit_code() {
        let all = [Exit::Ok, Exit::Findings, Exit::Usage, Exit::Outside, Exit::Unfinished, Exit::Interrupted];
        let listed: Vec<u8> =
            EXIT_CODES.lines().filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect();
        assert_eq!(listed, all.map(|exit| exit as u8));
    }
}
