//! Runs the binary, and writes servers for it as shell scripts with canned answers.
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use overt_state::passphrase::{Cost, Passphrase};
use tempfile::TempDir;

use crate::output::CommandOutput;

/// Returns what the binary did.
pub(crate) fn report(output: &Output) -> CommandOutput {
    CommandOutput::from(output)
}

/// The binary, in an environment without variables for colours or logs.
#[expect(clippy::disallowed_methods, reason = "the ban is for the product; this starts the product")]
pub(crate) fn overt() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_overt"));
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").expect("a path"))
        .env("HOME", "/nonexistent")
        // A test that needs state sets its own folder.
        .env("OVERT_STATE_DIR", "/dev/null/state")
        // Most tests parse the output with a program.
        .env("OVERT_FORMAT", "json")
        .stdin(Stdio::null());
    command
}

/// Runs the binary with these arguments.
pub(crate) fn run(arguments: &[&str]) -> CommandOutput {
    report(&overt().args(arguments).output().unwrap())
}

/// Runs the binary and feeds it standard input.
pub(crate) fn run_with_stdin(command: &mut Command, input: &str) -> CommandOutput {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("the binary reads");
    report(&child.wait_with_output().expect("the binary ends"))
}

/// The passphrase of the person who answers in tests.
pub(crate) const PASSPHRASE: &str = "correct horse battery";

/// Sets the passphrase of the person who owns this state folder. It is cheap to check, because
/// tests check it often.
pub(crate) fn set_passphrase(state: &Path) {
    let passphrase = Passphrase::of(state);
    if !passphrase.is_set().unwrap() {
        passphrase.set(PASSPHRASE, Cost { memory_kib: 64, passes: 1 }).unwrap();
    }
}

/// Runs a command as a person's script does: commands that answer questions get the passphrase.
#[expect(clippy::disallowed_methods, reason = "the ban is for the product; this starts the product")]
pub(crate) fn by_person(command: &mut Command) -> Output {
    let words: Vec<String> = command.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
    let is_answer = {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        matches!(
            words[..],
            ["grants", "allow" | "deny" | "revoke", ..]
                | ["pins", "accept" | "forget", ..]
                | ["trust" | "permit" | "forbid" | "unwrap", ..]
                | ["policy", "suggest", ..]
        )
    };
    if !is_answer {
        return command.output().unwrap();
    }
    let state = command.get_envs().find(|(name, _)| *name == "OVERT_STATE_DIR").and_then(|(_, value)| value);
    let state = state.map(PathBuf::from).filter(|state| state.is_dir());
    state.iter().for_each(|state| set_passphrase(state));
    // Words after `--` belong to a server.
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let mut with = Command::new(command.get_program());
    with.env_clear().args(&words[..end]).arg("--passphrase-stdin").args(&words[end..]);
    with.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.get_current_dir().map(|dir| with.current_dir(dir));
    with.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = with.spawn().unwrap();
    // A command that fails early does not read the passphrase.
    let _ = writeln!(child.stdin.take().expect("piped"), "{PASSPHRASE}");
    child.wait_with_output().unwrap()
}

/// Waits until the condition holds. Fails after ten seconds.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(10), "waited too long until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A child process that is ended on drop, so that a failed test leaves none behind.
pub(crate) struct Running(pub(crate) Child);

impl Running {
    pub(crate) fn start(command: &mut Command) -> Self {
        Self(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    pub(crate) fn interrupt(&self) {
        self.signal(rustix::process::Signal::INT);
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let id = rustix::process::Pid::from_child(&self.0);
        rustix::process::kill_process(id, signal).expect("the binary is running");
    }

    pub(crate) fn report(mut self) -> CommandOutput {
        let mut output =
            Output { status: self.0.wait().expect("it ends"), stdout: Vec::new(), stderr: Vec::new() };
        let read = |pipe: Option<&mut dyn std::io::Read>, into: &mut Vec<u8>| {
            pipe.map(|pipe| pipe.read_to_end(into));
        };
        read(self.0.stdout.as_mut().map(|pipe| pipe as _), &mut output.stdout);
        read(self.0.stderr.as_mut().map(|pipe| pipe as _), &mut output.stderr);
        report(&output)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
    }
}

/// A stdio server: a shell script whose answers depend on the method that it reads.
pub(crate) struct Script {
    directory: TempDir,
    cases: String,
}

impl Script {
    /// A server of the legacy era with these tools.
    pub(crate) fn with_tools(tools: &str) -> Self {
        Self::with_hello(r#"{"tools":{}}"#).result("tools/list", &format!(r#"{{"tools":{tools}}}"#))
    }

    /// A server with one tool, `touch`, which changes something.
    pub(crate) fn touch() -> Self {
        let tool =
            r#"[{"name":"touch","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false}}]"#;
        Self::with_tools(tool).result("tools/call", r#"{"content":[{"type":"text","text":"touched"}]}"#)
    }

    /// A server of the legacy era with these capabilities and nothing else.
    pub(crate) fn with_hello(capabilities: &str) -> Self {
        let hello = format!(
            r#"{{"protocolVersion":"2025-11-25","capabilities":{capabilities},"serverInfo":{{"name":"scripted","version":"1.2.3"}}}}"#
        );
        Self::empty()
            .on("server/discover", r#"fail '{"code":-32601,"message":"method not found"}'"#)
            .result("initialize", &hello)
    }

    /// A server that answers nothing.
    pub(crate) fn empty() -> Self {
        Self { directory: TempDir::new().expect("a directory"), cases: String::new() }
    }

    /// Answers a method with this result.
    pub(crate) fn result(self, method: &str, result: &str) -> Self {
        self.on(method, &format!("answer {}", quoted(result)))
    }

    /// Runs these shell commands for a method. `answer RESULT` and `fail ERROR` answer it, `send
    /// LINE` sends any line, `hear` reads the client's next line.
    pub(crate) fn on(mut self, method: &str, commands: &str) -> Self {
        let _ = writeln!(self.cases, "  *'\"method\":\"{method}\"'*)\n{commands}\n  ;;");
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Returns what the client has sent so far.
    pub(crate) fn received(&self) -> String {
        std::fs::read_to_string(self.path("received")).unwrap_or_default()
    }

    /// Writes the script and returns the words that start it.
    pub(crate) fn command(&self) -> [String; 2] {
        let text = format!(
            "send() {{ printf '%s\\n' \"$1\"; }}\n\
             answer() {{ send \"{{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":$id,\\\"result\\\":$1}}\"; }}\n\
             fail() {{ send \"{{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":$id,\\\"error\\\":$1}}\"; }}\n\
             hear() {{ IFS= read -r line && printf '%s\\n' \"$line\" >> {log}; }}\n\
             here={here}\n\
             while hear; do\n  rest=${{line#*'\"id\":'}}; id=${{rest%%,*}}\n  case $line in\n{cases}  esac\ndone\n",
            log = quoted(&self.path("received").to_string_lossy()),
            here = quoted(&self.directory.path().to_string_lossy()),
            cases = self.cases,
        );
        let path = self.path("server.sh");
        std::fs::write(&path, text).expect("the script is written");
        ["sh".to_owned(), path.to_string_lossy().into_owned()]
    }

    /// Runs the binary with these arguments and the server as the command after `--`.
    pub(crate) fn run(&self, arguments: &[&str]) -> CommandOutput {
        report(&self.overt(arguments).output().unwrap())
    }

    pub(crate) fn overt(&self, arguments: &[&str]) -> Command {
        let mut command = overt();
        command.args(arguments).arg("--").args(self.command());
        command
    }
}

/// Quotes a text as one word for the shell.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Writes a file for a test, which is removed with its directory.
pub(crate) fn file(directory: &Path, name: &str, text: &str) -> String {
    let path = directory.join(name);
    std::fs::write(&path, text).expect("the file is written");
    path.to_string_lossy().into_owned()
}
