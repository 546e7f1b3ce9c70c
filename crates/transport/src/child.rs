//! A child process with pipes. It is started without a shell, with only the environment it was
//! given, in its own process group, and is ended together with its descendants.
//!
//! A descendant that leaves the group (`setsid`) escapes. If we are killed without warning, the
//! kernel kills the child (`process`), and the guardian kills the rest of its group (`guardian`).
use std::collections::VecDeque;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{fmt, io};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::io::AsyncReadExt as _;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::client::Command;
use crate::guardian::GuardedGroup;
use crate::limits::Limits;
use crate::process::kill_with_parent;

/// A running child. Dropping it kills the whole group at once; [`Child::end`] ends it gracefully.
pub struct Child {
    group: Arc<Group>,
    /// The lifecycle state of the child.
    state: watch::Receiver<State>,
    stderr: Arc<Mutex<Tail>>,
    /// Closes when the error output ends.
    stderr_open: watch::Receiver<()>,
    grace: Duration,
}

/// The lifecycle state of a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    /// The child has ended, but its output may still be in the pipes.
    Exited(Option<ExitStatus>),
    /// Its descendants were killed too, so no process writes to the pipes any more.
    Gone(Option<ExitStatus>),
}

/// The process group of a child. `done` is set when no process is left to signal, because the
/// kernel may then reuse the group id.
struct Group {
    id: Pid,
    done: AtomicBool,
}

/// The last bytes of a stream, up to a limit.
struct Tail {
    bytes: VecDeque<u8>,
    limit: usize,
}

/// A longer line of the error output is reported in parts. In bytes.
const LONGEST_LINE: usize = 4096;

/// How long descendants may outlive the child before they are killed.
const LINGER: Duration = Duration::from_millis(500);

impl Child {
    /// Starts the program. The caller reads the output and writes the input. The child keeps the
    /// end of the error output, and `heard` gets each of its lines.
    pub fn spawn(
        command: &Command,
        limits: &Limits,
        heard: impl Fn(&str) + Send + 'static,
    ) -> io::Result<(Self, ChildStdin, ChildStdout)> {
        #[expect(clippy::disallowed_methods, reason = "this is the module that the ban points to")]
        let mut builder = tokio::process::Command::new(
            command.found.as_deref().map_or(&*command.program, |found| found.as_os_str()),
        );
        builder
            .args(&command.args)
            .env_clear()
            .envs(command.env.iter())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        if let Some(cwd) = &command.cwd {
            builder.current_dir(cwd);
        }
        kill_with_parent(builder.as_std_mut());
        let mut process = builder.spawn()?;
        let missing = || io::Error::other("a pipe to the child is missing");
        let id = process.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)).ok_or_else(missing)?;
        let group = Arc::new(Group { id, done: AtomicBool::new(false) });
        let stdin = process.stdin.take().ok_or_else(missing)?;
        let stdout = process.stdout.take().ok_or_else(missing)?;
        let stderr = process.stderr.take().ok_or_else(missing)?;
        let tail = Arc::new(Mutex::new(Tail { bytes: VecDeque::new(), limit: limits.max_stderr_bytes }));
        let (open, stderr_open) = watch::channel(());
        tokio::spawn(keep_tail(stderr, Arc::clone(&tail), heard, open));
        let (sender, state) = watch::channel(State::Running);
        let guarded = command.guardian.as_ref().map(|guardian| guardian.watch(id));
        tokio::spawn(supervise(process, Arc::clone(&group), sender, guarded));
        tracing::debug!(pid = id.as_raw_nonzero().get(), "child started");
        Ok((Self { group, state, stderr: tail, stderr_open, grace: limits.child_grace }, stdin, stdout))
    }

    /// Returns the last part of the child's error output.
    pub fn stderr_tail(&self) -> String {
        self.stderr.lock().unwrap_or_else(PoisonError::into_inner).text()
    }

    /// Waits up to `patience` for the end of the child, and returns its exit status.
    pub async fn exit_status(&self, patience: Duration) -> Option<ExitStatus> {
        let mut state = self.state.clone();
        let reached = timeout(patience, state.wait_for(|state| *state != State::Running)).await.ok()?.ok()?;
        match *reached {
            State::Running => None,
            State::Exited(status) | State::Gone(status) => status,
        }
    }

    /// Waits up to `patience` for the end of the error output.
    pub async fn stderr_ended(&self, patience: Duration) {
        let mut open = self.stderr_open.clone();
        let _ = timeout(patience, open.changed()).await;
    }

    /// Completes when no process writes to the pipes any more.
    pub fn gone(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut state = self.state.clone();
        async move {
            let _ = state.wait_for(|state| matches!(state, State::Gone(_))).await;
        }
    }

    /// Ends the child and its descendants. The caller must have closed the child's input. Waits for
    /// the child to exit, then sends SIGTERM, then SIGKILL (UP-10).
    pub async fn end(&self) {
        let exited = |state: &State| *state != State::Running;
        if !self.reaches(exited).await {
            self.group.signal(Signal::TERM);
            if !self.reaches(exited).await {
                self.group.signal(Signal::KILL);
            }
        }
        self.reaches(|state| matches!(state, State::Gone(_))).await;
    }

    /// Kills the child and its descendants at once.
    pub fn kill(&self) {
        self.group.signal(Signal::KILL);
    }

    async fn reaches(&self, wanted: impl Fn(&State) -> bool) -> bool {
        let mut state = self.state.clone();
        matches!(timeout(self.grace, state.wait_for(wanted)).await, Ok(Ok(_)))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
    }
}

impl fmt::Debug for Child {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Child").field("group", &self.group.id).field("state", &*self.state.borrow()).finish()
    }
}

/// Waits for the end of the child, then ends the rest of its process group.
async fn supervise(
    mut process: tokio::process::Child,
    group: Arc<Group>,
    state: watch::Sender<State>,
    guarded: Option<GuardedGroup>,
) {
    let status = process.wait().await.ok();
    tracing::debug!(?status, "child ended");
    let _ = state.send(State::Exited(status));
    // Descendants may still hold the pipes open, which would hide the end of the child.
    group.signal(Signal::TERM);
    let _ = timeout(LINGER, group.empty()).await;
    group.signal(Signal::KILL);
    group.done.store(true, Ordering::Release);
    drop(guarded);
    let _ = state.send(State::Gone(status));
}

/// Reads the error output until it ends, so that the child never blocks on it.
async fn keep_tail(
    mut stderr: ChildStderr,
    tail: Arc<Mutex<Tail>>,
    heard: impl Fn(&str) + Send,
    open: watch::Sender<()>,
) {
    let mut buffer = vec![0; LONGEST_LINE];
    let mut line = Vec::new();
    while let Ok(count @ 1..) = stderr.read(&mut buffer).await {
        tail.lock().unwrap_or_else(PoisonError::into_inner).push(&buffer[..count]);
        split_lines(&mut line, &buffer[..count], &heard);
    }
    if !line.is_empty() {
        heard(&String::from_utf8_lossy(&line));
    }
    drop(open);
}

/// Reports every line that `bytes` completes; the start of the next line stays in `line`.
fn split_lines(line: &mut Vec<u8>, bytes: &[u8], heard: &impl Fn(&str)) {
    for part in bytes.split_inclusive(|byte| *byte == b'\n') {
        line.extend_from_slice(part);
        if line.ends_with(b"\n") || line.len() >= LONGEST_LINE {
            heard(String::from_utf8_lossy(line).trim_end());
            line.clear();
        }
    }
}

// === impl Group ===

impl Group {
    fn signal(&self, signal: Signal) {
        if !self.done.load(Ordering::Acquire) {
            // Fails only when no process is left, which is the goal.
            let _ = kill_process_group(self.id, signal);
        }
    }

    fn is_alive(&self) -> bool {
        !self.done.load(Ordering::Acquire) && test_kill_process_group(self.id).is_ok()
    }

    async fn empty(&self) {
        while self.is_alive() {
            sleep(Duration::from_millis(10)).await;
        }
    }
}

// === impl Tail ===

impl Tail {
    fn push(&mut self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(self.limit)..];
        let over = (self.bytes.len() + bytes.len()).saturating_sub(self.limit);
        self.bytes.drain(..over);
        self.bytes.extend(bytes);
    }

    /// The text, without the first line if it may be cut.
    fn text(&self) -> String {
        let (front, back) = self.bytes.as_slices();
        let text = String::from_utf8_lossy(&[front, back].concat()).trim_end().to_owned();
        match text.split_once('\n') {
            Some((_, rest)) if self.bytes.len() >= self.limit => rest.to_owned(),
            _ => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_and_bounded() {
        let heard = std::cell::RefCell::new(Vec::new());
        let note = |line: &str| heard.borrow_mut().push(line.to_owned());
        let mut line = Vec::new();
        split_lines(&mut line, b"one\r\ntw", &note);
        split_lines(&mut line, b"o\n\nrest", &note);
        assert_eq!(*heard.borrow(), ["one", "two", ""]);
        split_lines(&mut line, &[b'x'; LONGEST_LINE], &note);
        assert!(line.is_empty() && heard.borrow()[3].len() == LONGEST_LINE + 4);
    }

    #[test]
    fn tail_keeps_the_end() {
        let mut tail = Tail { bytes: VecDeque::new(), limit: 10 };
        tail.push(b"first\n");
        assert_eq!(tail.text(), "first");
        // The cut is at the end of a line, so no line is lost in part.
        tail.push(b"second\nxy");
        assert_eq!(tail.text(), "second\nxy");
        tail.push(b"z");
        assert_eq!(tail.text(), "xyz");
        tail.push(&[b'z'; 100]);
        assert_eq!(tail.text(), "zzzzzzzzzz");
    }
}
