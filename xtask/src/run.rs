//! Runs other programs: writes their output to files, waits for them with a deadline, and kills
//! them with their children.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::net::TcpStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::repo::{Repo, set_by_cargo_run};

/// How often a running program is checked.
const POLL: Duration = Duration::from_millis(10);

/// How many lines of a log are shown when its program fails.
const TAIL: usize = 60;

/// A program to run, with its arguments and surroundings.
#[derive(Debug, Clone)]
pub struct Job {
    name: String,
    program: PathBuf,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    input: String,
    dir: PathBuf,
    logs: PathBuf,
    deadline: Duration,
}

/// A program that has ended.
#[derive(Debug)]
pub struct Finished {
    pub ok: bool,
    pub status: String,
    pub took: Duration,
    out: PathBuf,
    log: PathBuf,
}

/// A program that runs until this value is dropped.
#[derive(Debug)]
pub struct Running {
    child: Child,
    log: PathBuf,
}

/// Runs a program to its end and returns whether it succeeded. It gets our own input, output,
/// directory and environment, except for one variable.
#[expect(clippy::disallowed_methods, reason = "the tasks start programs here and nowhere else")]
pub(crate) fn run_as_we_were(program: &str, args: &[OsString], without: &str) -> bool {
    Command::new(program).args(args).env_remove(without).status().is_ok_and(|status| status.success())
}

// === impl Job ===

impl Job {
    /// `name` names the log files, so it must be unique among jobs that run at the same time.
    pub fn new(repo: &Repo, name: &str, program: impl Into<PathBuf>) -> Self {
        Self {
            name: name.replace(['/', ' '], "-"),
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            input: String::new(),
            dir: repo.root.clone(),
            logs: repo.out.clone(),
            deadline: Duration::from_secs(60),
        }
    }

    /// Creates a job from a complete command.
    pub fn command(repo: &Repo, name: &str, words: impl IntoIterator<Item = OsString>) -> Self {
        let mut words = words.into_iter();
        Self::new(repo, name, words.next().unwrap_or_default()).args(words)
    }

    /// Creates a job that runs cargo. The suite builds for one run, so it omits incremental data
    /// and line tables, which cost time and disk space. Cargo keeps these artifacts beside those of
    /// other builds.
    pub fn cargo(repo: &Repo, name: &str, args: &[&str]) -> Self {
        let cargo = Self::new(repo, name, "cargo").args(args).deadline(Duration::from_secs(2700));
        cargo.env("CARGO_INCREMENTAL", "0").env("CARGO_PROFILE_DEV_DEBUG", "none")
    }

    /// Creates a job that runs cargo with clippy as the compiler of our own packages, and with
    /// warnings as errors. This way the suite compiles every dependency once, and not again for the
    /// lints.
    pub fn linting_cargo(repo: &Repo, name: &str, args: &[&str]) -> Self {
        let cargo = Self::cargo(repo, name, args);
        cargo.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver").env("RUSTFLAGS", "-D warnings")
    }

    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Sets what the program reads from standard input. The default is nothing.
    pub fn input(mut self, text: &str) -> Self {
        self.input = text.to_owned();
        self
    }

    pub fn dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.dir = dir.into();
        self
    }

    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Returns the command as a person would type it.
    pub fn typed(&self) -> String {
        let words =
            std::iter::once(self.program.as_os_str()).chain(self.args.iter().map(OsString::as_os_str));
        words.map(quoted).collect::<Vec<_>>().join(" ")
    }

    /// Runs the program to its end and returns how it ended. Fails only if the program can't be
    /// started or is too slow.
    pub fn finish(&self) -> Result<Finished, Failure> {
        let (out, log) = (self.logs.join(format!("{}.out", self.name)), self.log());
        let started = Instant::now();
        let mut child = self.spawn(Stdio::from(create(&out)?), self.stdin()?)?;
        let Some(status) = wait(&mut child, self.deadline)? else {
            end(&mut child);
            return Err(Failure::new(format!(
                "`{}` did not end within {} s\n{}",
                self.typed(),
                self.deadline.as_secs(),
                tail(&log)
            )));
        };
        Ok(Finished { ok: status.success(), status: status.to_string(), took: started.elapsed(), out, log })
    }

    /// Runs the program to its end. Anything but success is an error that shows the end of the
    /// output.
    pub fn succeed(&self) -> Result<Finished, Failure> {
        let finished = self.finish()?;
        if finished.ok {
            return Ok(finished);
        }
        Err(Failure::new(format!("`{}` failed with {}\n{}", self.typed(), finished.status, finished.shown())))
    }

    /// Replaces this process with the program, which keeps its input and output. Returns only if
    /// the program can't be started.
    pub fn replace(&self) -> Failure {
        let cause = self.prepare().exec();
        Failure::new(format!("could not start `{}`: {cause}", self.typed()))
    }

    /// Starts a server.
    pub fn start(&self) -> Result<Running, Failure> {
        Ok(Running { child: self.spawn(Stdio::null(), Stdio::null())?, log: self.log() })
    }

    fn stdin(&self) -> Result<Stdio, Failure> {
        if self.input.is_empty() {
            return Ok(Stdio::null());
        }
        let path = self.logs.join(format!("{}.in", self.name));
        std::fs::write(&path, &self.input).map_err(Failure::file("write", &path))?;
        std::fs::File::open(&path).map(Stdio::from).map_err(Failure::file("read", &path))
    }

    fn log(&self) -> PathBuf {
        self.logs.join(format!("{}.log", self.name))
    }

    #[expect(clippy::disallowed_methods, reason = "the tasks start programs here and nowhere else")]
    fn prepare(&self) -> Command {
        let mut command = Command::new(&self.program);
        for name in set_by_cargo_run() {
            command.env_remove(name);
        }
        command
            .args(&self.args)
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .current_dir(&self.dir);
        command
    }

    fn spawn(&self, stdout: Stdio, stdin: Stdio) -> Result<Child, Failure> {
        self.prepare()
            .stdin(stdin)
            .stdout(stdout)
            .stderr(Stdio::from(create(&self.log())?))
            .spawn()
            .map_err(|cause| Failure::new(format!("could not start `{}`: {cause}", self.typed())))
    }
}

// === impl Finished ===

impl Finished {
    pub fn stdout(&self) -> String {
        read(&self.out)
    }

    pub fn stderr(&self) -> String {
        read(&self.log)
    }

    /// Returns the end of the output, for an error message.
    pub fn shown(&self) -> String {
        [tail(&self.out), tail(&self.log)]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("\n")
    }
}

// === impl Running ===

impl Running {
    /// Waits for a line on standard error that starts with `prefix`, and returns the rest of the
    /// line.
    pub fn announced(&mut self, prefix: &str, deadline: Duration) -> Result<String, Failure> {
        let started = Instant::now();
        loop {
            let log = read(&self.log);
            // The last line may be incomplete, so look only at complete lines.
            let whole = log.rfind('\n').map_or("", |end| &log[..end]);
            if let Some(rest) = whole.lines().find_map(|line| line.trim().strip_prefix(prefix)) {
                return Ok(rest.trim().to_owned());
            }
            let ended =
                self.child.try_wait().map_err(|cause| Failure::new(format!("lost a server: {cause}")))?;
            if ended.is_some() || started.elapsed() > deadline {
                let why = ended
                    .map_or("did not say so in time".to_owned(), |status| format!("ended with {status}"));
                return Err(Failure::new(format!(
                    "no line `{prefix}…` from the server: it {why}\n{}",
                    tail(&self.log)
                )));
            }
            std::thread::sleep(POLL);
        }
    }

    /// Waits until the program accepts connections on a port of this machine.
    pub fn reachable(&mut self, port: u16, deadline: Duration) -> Result<(), Failure> {
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let ended =
                self.child.try_wait().map_err(|cause| Failure::new(format!("lost a server: {cause}")))?;
            if ended.is_some() || started.elapsed() > deadline {
                let what = format!("nobody listens on port {port}\n{}", tail(&self.log));
                return Err(Failure::new(what));
            }
            std::thread::sleep(POLL);
        }
        Ok(())
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

// === helpers ===

fn wait(child: &mut Child, deadline: Duration) -> Result<Option<ExitStatus>, Failure> {
    let started = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(Some(status)),
            Ok(None) if started.elapsed() > deadline => return Ok(None),
            Ok(None) => std::thread::sleep(POLL),
            Err(cause) => return Err(Failure::new(format!("lost a child process: {cause}"))),
        }
    }
}

/// Kills every program that was started and still runs, such as an installation that is no longer
/// needed.
pub fn end_all() {
    // The first process in the tree is this one.
    kill(&tree(std::process::id())[1..]);
}

/// Kills a program and everything that it started. They are in our process group, so Ctrl-C reaches
/// them too.
fn end(child: &mut Child) {
    kill(&tree(child.id()));
    let _ = child.kill();
    let _ = child.wait();
}

fn kill(pids: &[u32]) {
    for pid in pids.iter().rev() {
        if let Some(pid) = i32::try_from(*pid).ok().and_then(rustix::process::Pid::from_raw) {
            // The process may have ended in the meantime.
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    }
}

/// Returns the number of threads of a process.
pub fn threads(pid: u32) -> usize {
    std::fs::read_dir(format!("/proc/{pid}/task")).map_or(1, |threads| threads.count().max(1))
}

/// Returns a process and all its descendants, parents first.
pub fn tree(pid: u32) -> Vec<u32> {
    let mut found = vec![pid];
    let mut next = 0;
    while let Some(parent) = found.get(next) {
        let threads = std::fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
        let children: Vec<u32> = threads
            .filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok())
            .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<u32>>())
            .collect();
        found.extend(children);
        next += 1;
    }
    found
}

fn create(path: &Path) -> Result<File, Failure> {
    File::create(path).map_err(Failure::file("create", path))
}

fn read(path: &Path) -> String {
    std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

fn tail(path: &Path) -> String {
    let text = read(path);
    let lines: Vec<&str> = text.lines().collect();
    let shown = &lines[lines.len().saturating_sub(TAIL)..];
    let cut =
        if shown.len() < lines.len() { format!("(the end of {})\n", path.display()) } else { String::new() };
    format!("{cut}{}", shown.join("\n"))
}

fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=+@,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.into_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(name: &str, script: &str) -> Job {
        let repo = Repo::find().unwrap();
        Job::new(&repo, name, "sh").args(["-c", script])
    }

    #[test]
    fn a_command_is_shown_as_typed() {
        assert_eq!(job("typed", "echo 'x'").typed(), r"sh -c 'echo '\''x'\'''");
    }

    #[test]
    fn output_and_status_come_back() {
        let finished = job("status", "echo out; echo talk >&2; exit 3").finish().unwrap();
        assert!(!finished.ok);
        assert_eq!((finished.stdout().as_str(), finished.stderr().as_str()), ("out\n", "talk\n"));
        assert!(job("status2", "echo broken; exit 3").succeed().unwrap_err().to_string().contains("broken"));
    }

    #[test]
    fn a_slow_program_is_ended_with_its_children() {
        let slow = job("slow", "sleep 300 & echo $!; wait").deadline(Duration::from_millis(300));
        assert!(slow.finish().unwrap_err().to_string().contains("did not end within"));
        let child = read(&slow.logs.join("slow.out"));
        let gone = Instant::now() + Duration::from_secs(5);
        while Path::new(&format!("/proc/{}/fd/0", child.trim())).exists() {
            assert!(Instant::now() < gone, "the child `sleep` still runs");
            std::thread::sleep(POLL);
        }
    }

    #[test]
    fn a_server_is_heard_and_then_ended() {
        let mut server = job("server", "echo 'listening on here' >&2; sleep 300").start().unwrap();
        assert_eq!(server.announced("listening on ", Duration::from_secs(5)).unwrap(), "here");
        let pid = server.pid();
        drop(server);
        assert!(!Path::new(&format!("/proc/{pid}/fd/0")).exists());
    }
}
