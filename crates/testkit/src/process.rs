//! A server as a child process: its pipes as raw bytes, its signals, its memory and its end.
use std::net::SocketAddr;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::time::timeout;

use crate::http_raw::PATIENCE;

/// A running server. It is killed when it is dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
    pub input: Option<ChildStdin>,
    pub output: Option<ChildStdout>,
    pub errors: Option<ChildStderr>,
}

impl Process {
    pub fn start(program: impl AsRef<Path>, arguments: &[&str]) -> Self {
        Self::start_in(program, arguments, &[])
    }

    /// Starts a program with additional environment variables.
    pub fn start_in(program: impl AsRef<Path>, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        #[expect(clippy::disallowed_methods, reason = "tests of the process itself need its bare pipes")]
        let mut command = tokio::process::Command::new(program.as_ref());
        command.envs(environment.iter().copied());
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn().expect("the server can be started");
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        Self { child, input, output, errors }
    }

    /// Returns the address where the server announces that it listens. Later output is discarded.
    pub async fn listening(&mut self) -> SocketAddr {
        let mut log = BufReader::new(self.errors.take().expect("the errors are a pipe")).lines();
        let address = loop {
            let line = timeout(PATIENCE, log.next_line()).await.expect("the server says where it listens");
            let line = line.expect("its errors can be read").expect("it says so before it ends");
            if let Some((_, url)) = line.split_once("listening on http://") {
                break url.trim_end_matches("/mcp").parse().expect("an address");
            }
        };
        tokio::spawn(async move { while let Ok(Some(_)) = log.next_line().await {} });
        address
    }

    pub fn signal(&self, signal: Signal) {
        let pid = self.pid();
        kill_process(Pid::from_raw(pid).expect("a child has a number"), signal).expect("the child is there");
    }

    /// Waits for the process to end and returns its status. Panics if it does not end within the
    /// usual patience.
    pub async fn ended(&mut self) -> ExitStatus {
        self.ended_within(PATIENCE).await.expect("the process ends")
    }

    pub async fn ended_within(&mut self, patience: Duration) -> Option<ExitStatus> {
        timeout(patience, self.child.wait()).await.ok()?.ok()
    }

    /// Returns the peak memory of the process, in bytes.
    pub fn peak_memory(&self) -> usize {
        self.status_kib("VmHWM:") << 10
    }

    /// Returns the processor time that the process has used.
    pub fn processor_time(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid())).expect("the process runs");
        // The name in parentheses may contain spaces. Two of the fields after it are user and
        // system time in ticks.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks: u64 = fields[11..13].iter().map(|field| field.parse::<u64>().unwrap_or(0)).sum();
        Duration::from_millis(ticks * 1000 / u64::from(TICKS_PER_SECOND))
    }

    pub fn pid(&self) -> i32 {
        self.child.id().and_then(|id| i32::try_from(id).ok()).expect("the process runs")
    }

    fn status_kib(&self, name: &str) -> usize {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.pid())).expect("the process runs");
        let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("the kernel says it");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }
}

/// The unit in which Linux reports processor time, on every machine.
const TICKS_PER_SECOND: u32 = 100;
