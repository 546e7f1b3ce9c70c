//! A small process that briefly outlives this one. If this process is killed without warning, the
//! guardian kills the process groups of the servers that we started (G-60).
//!
//! The guardian runs the same executable. It starts shortly after the first server, so that it does
//! not slow down the server's start. A pipe tells it which groups exist; the end of the pipe means
//! that this process has died. No bytes of a server pass through the guardian. A descendant that
//! left its group (`setsid`) escapes.
use std::collections::HashSet;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

/// Guards the process groups of all commands that share it. Its process starts only after the first
/// command.
#[derive(Clone)]
pub struct Guardian(Arc<Shared>);

struct Shared {
    program: PathBuf,
    argument: OsString,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    groups: HashSet<Pid>,
    running: Option<GuardianProcess>,
    /// Whether a task will start the process soon.
    is_starting: bool,
}

/// The guardian process, and the pipe whose end tells it that this process has died.
struct GuardianProcess {
    pipe: OwnedFd,
    /// Dropped without waiting; the runtime reaps it.
    _process: tokio::process::Child,
}

/// Guards a process group until it is dropped.
pub(crate) struct GuardedGroup {
    guardian: Guardian,
    group: Pid,
}

/// How long after the first server the guardian starts. A server that ends earlier needs no
/// guardian.
const DELAY: Duration = Duration::from_millis(100);
/// The most groups that are guarded; more than there can be servers.
const MAX_GROUPS: usize = 4096;

// === impl Guardian ===

impl Guardian {
    /// When `program` is started with `argument` alone, it must call [`guard`] with its standard
    /// input.
    pub fn new(program: PathBuf, argument: impl Into<OsString>) -> Self {
        Self(Arc::new(Shared { program, argument: argument.into(), state: Mutex::default() }))
    }

    /// Guards a process group. A guardian that can't be started is only logged, because the server
    /// itself works.
    pub(crate) fn watch(&self, group: Pid) -> GuardedGroup {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.groups.len() < MAX_GROUPS {
            state.groups.insert(group);
        }
        let is_told = state.running.as_ref().is_some_and(|running| match running.tell(&line('+', group)) {
            // The guardian is alive, only behind. Starting another guardian would end this one, and
            // it would kill every group.
            Err(error) => error.kind() == io::ErrorKind::WouldBlock,
            Ok(()) => true,
        });
        if !is_told && !state.is_starting {
            state.is_starting = true;
            let guardian = self.clone();
            tokio::spawn(async move {
                tokio::time::sleep(DELAY).await;
                guardian.start_if_needed();
            });
        }
        drop(state);
        GuardedGroup { guardian: self.clone(), group }
    }

    /// Starts the guardian and sends it all current groups.
    fn start_if_needed(&self) {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        (state.is_starting, state.running) = (false, None);
        if state.groups.is_empty() {
            return;
        }
        let all: String = state.groups.iter().map(|group| line('+', *group)).collect();
        match self.start().and_then(|running| running.tell(&all).map(|()| running)) {
            Ok(running) => state.running = Some(running),
            Err(error) => {
                tracing::warn!(%error, "no guardian: if Overt is killed, descendants of the server may live on");
            }
        }
    }

    fn start(&self) -> io::Result<GuardianProcess> {
        #[expect(clippy::disallowed_methods, reason = "it belongs to the module that the ban points to")]
        let mut command = tokio::process::Command::new(&self.0.program);
        command
            .arg0("overt-guardian")
            .arg(&self.0.argument)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Signals that a terminal sends to our group must not reach the guardian.
            .process_group(0);
        let mut process = command.spawn()?;
        let stdin = process.stdin.take().ok_or_else(|| io::Error::other("the pipe is missing"))?;
        // Writes never block, because the runtime has made the pipe non-blocking.
        Ok(GuardianProcess { pipe: stdin.into_owned_fd()?, _process: process })
    }
}

impl GuardianProcess {
    /// Fails if the guardian was killed, or with `WouldBlock` if it does not read fast enough.
    fn tell(&self, lines: &str) -> io::Result<()> {
        rustix::io::write(&self.pipe, lines.as_bytes())?;
        Ok(())
    }
}

impl fmt::Debug for Guardian {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Guardian")
    }
}

impl Drop for GuardedGroup {
    fn drop(&mut self) {
        let mut state = self.guardian.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.groups.remove(&self.group);
        if let Some(running) = &state.running {
            let _ = running.tell(&line('-', self.group));
        }
    }
}

fn line(sign: char, group: Pid) -> String {
    format!("{sign}{}\n", group.as_raw_nonzero())
}

/// Runs the guardian: reads the groups until the input ends, then kills the groups that are left.
pub fn guard(input: impl Read) {
    for group in groups_at_end(input) {
        // Fails only when no process is left.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

fn groups_at_end(mut input: impl Read) -> HashSet<Pid> {
    let mut groups = HashSet::new();
    let (mut add, mut number) = (true, 0_i32);
    let mut buffer = [0; 256];
    loop {
        let count = match input.read(&mut buffer) {
            Ok(0) => return groups,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return groups,
        };
        for byte in &buffer[..count] {
            match byte {
                b'+' | b'-' => (add, number) = (*byte == b'+', 0),
                b'0'..=b'9' => {
                    number = number.saturating_mul(10).saturating_add(i32::from(*byte - b'0'));
                }
                _ => {
                    // Group 1 is the system's.
                    let group = Pid::from_raw(number).filter(|_| number > 1);
                    if let Some(group) = group {
                        if !add {
                            groups.remove(&group);
                        } else if groups.len() < MAX_GROUPS {
                            groups.insert(group);
                        }
                    }
                    number = 0;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g_60_the_groups_that_are_left_are_known() {
        let left = |text: &str| -> Vec<i32> {
            let groups = groups_at_end(text.as_bytes());
            let mut numbers: Vec<i32> =
                groups.into_iter().map(|group| group.as_raw_nonzero().get()).collect();
            numbers.sort_unstable();
            numbers
        };
        assert_eq!(left("+10\n+20\n-10\n"), [20]);
        assert!(left("+10\n-10\n").is_empty());
        assert!(left("+1\n+0\n+\n-\nrubbish\n").is_empty());
        assert!(left("").is_empty());
        assert_eq!(left("+99999999999999\n+7\n+12"), [7, i32::MAX]);
    }
}
