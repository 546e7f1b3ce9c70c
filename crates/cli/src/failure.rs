//! How a command fails: whose fault it was, the chain of causes, and what to do next.
use std::error::Error;
use std::process::ExitCode;

/// Every exit code of the program. `overt --help` and `docs/cli.md` show the same table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything went well.
    Ok = 0,
    /// The tool answered that it failed, or a check or a comparison found something.
    Findings = 1,
    /// The command line, or a file that it names, is wrong.
    Usage = 2,
    /// Something outside the command failed: a server can't be reached, broke the protocol, refused
    /// the request or took too long; a file can't be written. Or only a person may do this, and
    /// nothing shows that one does.
    Outside = 3,
    /// An audit log holds but has no end, and no process is writing it: a crash leaves this, and so
    /// does a cut.
    Unfinished = 4,
    /// Ctrl-C, or another signal that asked us to end.
    Interrupted = 130,
}

/// An error on its way to the user.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) error: Box<dyn Error + Send + Sync>,
    pub(crate) hint: Option<String>,
    /// The end of what the server wrote to its standard error, where that may explain the rest.
    pub(crate) server_said: Option<String>,
}

/// An error that knows its exit code and what to do about it. Its messages may quote other people's
/// text: they are escaped where they are printed.
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
