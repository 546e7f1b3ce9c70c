//! Identifies the client process that a server serves over standard input and output. Processes
//! that this client starts must not answer its questions.
use std::fmt;

/// A process. The start time distinguishes it from other processes with the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientProcess {
    pub pid: u32,
    /// Start time, in ticks of the kernel's clock since the machine booted.
    pub started: u64,
}

impl ClientProcess {
    /// Parses `PID STARTED`. Returns `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let (pid, started) = text.trim_end().split_once(' ')?;
        Some(Self { pid: pid.parse().ok()?, started: started.parse().ok()? })
    }
}

impl fmt::Display for ClientProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.pid, self.started)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_read_as_it_is_written_and_nothing_else_is_read() {
        let client = ClientProcess { pid: 42, started: u64::MAX };
        assert_eq!(ClientProcess::parse(&client.to_string()), Some(client));
        for text in ["", "42", "42 ", " 42 1", "42 1 2", "-1 2", "x y", "42 18446744073709551616"] {
            assert_eq!(ClientProcess::parse(text), None, "{text}");
        }
    }
}
