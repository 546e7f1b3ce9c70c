//! Only a person may answer (A-09). A client that starts `overt run` tries to approve its own call,
//! as an agent would.
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use overt_state::grants::SqliteStore;
use overt_state::passphrase::Passphrase;

use crate::environment::TestEnvironment;
use crate::output::CommandOutput;
use crate::support::{PASSPHRASE, Running, overt, quoted, report, set_passphrase, wait_until};

impl TestEnvironment {
    fn questions(&self) -> usize {
        let store = SqliteStore::open_if_there(&self.state()).unwrap();
        store.map_or(0, |store| store.questions().unwrap().len())
    }

    /// Runs commands in a separate terminal, whose shell is not a descendant of Overt. `script`
    /// passes on what they print.
    #[expect(clippy::disallowed_methods, reason = "the ban is for the product; this makes a terminal")]
    fn terminal(&self, commands: &str) -> Command {
        let mut command = Command::new("script");
        // `exit` keeps the shell alive, because it must stay the first process of the terminal.
        command.args(["-qec", &format!("{commands}; exit $?"), "/dev/null"]).env_clear();
        for (name, value) in overt().get_envs() {
            command.env(name, value.unwrap_or_default());
        }
        command
            .env("OVERT_STATE_DIR", self.state())
            .env("OVERT", env!("CARGO_BIN_EXE_overt"))
            .env("SHELL", "/bin/sh")
            .env_remove("OVERT_FORMAT")
            .current_dir(self.path(""))
            .stdin(Stdio::piped());
        command
    }

    /// Starts the client in a terminal. It starts the server, and runs these commands as soon as
    /// its call waits.
    fn client_that(&self, tries: &str) -> Running {
        let messages = [
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"agent","version":"1"}}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"touch","arguments":{}}}"#,
        ];
        let server: Vec<String> = self.server.command().iter().map(|word| quoted(word)).collect();
        let text = format!(
            "{{ printf '%s\\n' {}; while [ ! -e over ]; do sleep 0.1; done; }} | \"$OVERT\" run --approval-wait 60s -- {} > run.txt 2>&1 &\n\
             while [ ! -e waits ]; do sleep 0.05; done\n{tries}\ntouch tried\nwait\n",
            messages.map(quoted).join(" "),
            server.join(" ")
        );
        std::fs::write(self.path("client.sh"), text).unwrap();
        let client = Running::start(&mut self.terminal("sh client.sh"));
        wait_until("the call waits", || self.questions() == 1);
        std::fs::write(self.path("waits"), "").unwrap();
        wait_until("the client has tried", || self.path("tried").exists());
        client
    }

    fn said(&self, name: &str) -> String {
        self.read(name).replace('\r', "")
    }
}

/// Returns whether this test was started by a program that Overt considers an agent. Then no
/// terminal below it is a person's.
fn is_below_an_agent() -> bool {
    let mut pid = std::process::id();
    while pid > 1 {
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
        let (name, rest) = stat.split_once('(').unwrap().1.rsplit_once(") ").unwrap();
        let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).into_owned();
        let is_agent =
            |name: &str| ["claude", "codex", "gemini", "opencode"].contains(&name.trim_end_matches(".js"));
        let mut words = words.split('\0').take(2).filter_map(|word| Path::new(word).file_name()?.to_str());
        if is_agent(name) || words.any(is_agent) {
            return true;
        }
        pid = rest.split_whitespace().nth(1).unwrap().parse().unwrap();
    }
    false
}

#[expect(clippy::print_stdout, reason = "says what this machine can't check")]
#[expect(clippy::disallowed_methods, reason = "the ban is for the product; this looks for a tool")]
fn has_tools() -> bool {
    let is_there = |tool: &str| Command::new(tool).arg("--version").stdout(Stdio::null()).status().is_ok();
    let all = cfg!(target_os = "linux") && is_there("script") && is_there("setsid") && !is_below_an_agent();
    if !all {
        println!("NOT CHECKED HERE: it takes Linux, `script`, `setsid`, and no agent around the test");
    }
    all
}

#[test]
fn a_09_what_a_client_starts_does_not_answer_and_the_person_does() {
    if !has_tools() {
        return;
    }
    let place = TestEnvironment::with_touch();
    let client = place.client_that(
        "\"$OVERT\" grants allow q-1 </dev/null >pipe.txt 2>&1; echo \"exit $?\" >>pipe.txt\n\
         \"$OVERT\" grants allow q-1 --always >shell.txt 2>&1; echo \"exit $?\" >>shell.txt\n\
         script -qec '\"$OVERT\" grants allow q-1' /dev/null </dev/null >pty.txt 2>&1; echo \"exit $?\" >>pty.txt\n\
         setsid -w \"$OVERT\" grants allow q-1 >setsid.txt 2>&1; echo \"exit $?\" >>setsid.txt\n\
         \"$OVERT\" grants deny q-1 >deny.txt 2>&1; echo \"exit $?\" >>deny.txt\n\
         \"$OVERT\" trust scripted record >trust.txt 2>&1; echo \"exit $?\" >>trust.txt\n\
         \"$OVERT\" grants allow --server server-sh --tool touch --scope write:server-sh:touch --always >advance.txt 2>&1\n\
         echo \"exit $?\" >>advance.txt\n\
         \"$OVERT\" passphrase set >set.txt 2>&1; echo \"exit $?\" >>set.txt\n\
         HOME=$PWD \"$OVERT\" permit touch --server server-sh --yes >permit.txt 2>&1; echo \"exit $?\" >>permit.txt",
    );
    assert!(
        place.said("pipe.txt").contains("no terminal shows that a person answers"),
        "{}",
        place.said("pipe.txt")
    );
    assert!(place.said("setsid.txt").contains("no terminal shows"), "{}", place.said("setsid.txt"));
    for name in ["shell.txt", "pty.txt", "deny.txt", "advance.txt", "permit.txt"] {
        let said = place.said(name);
        assert!(
            said.contains("`sh` (process ") && said.contains("is a client that Overt asks"),
            "{name}: {said}"
        );
    }
    for name in ["pipe.txt", "shell.txt", "pty.txt", "setsid.txt", "deny.txt", "advance.txt", "permit.txt"] {
        let said = place.said(name);
        assert!(said.ends_with("exit 3\n"), "{name}: {said}");
        // The hint says what the user can do, and mentions no way around it.
        let hint = said.split("hint:").nth(1).unwrap();
        assert!(hint.contains("the user"), "{said}");
    }
    assert!(!place.said("trust.txt").contains("exit 0") && !place.said("set.txt").contains("exit 0"));
    assert!(!Passphrase::of(&place.state()).is_set().unwrap());
    assert_eq!((place.questions(), place.calls()), (1, 0), "nothing was answered");
    let log = place.run_as_agent(&["audit", "query", "grants", "--kind", "deny"]);
    assert_eq!(log.matches(r#""kind":"deny""#).count(), 7, "{log}");
    assert!(log.contains("q-1: yes, always") && log.contains("only a person can answer this"), "{log}");

    // Another terminal of the same person may answer.
    let output = place.terminal("\"$OVERT\" grants allow q-1").output().unwrap();
    assert!(output.status.success(), "{}", report(&output));
    wait_until("the call is made", || place.calls() == 1);
    std::fs::write(place.path("over"), "").unwrap();
    client.report().succeeds();
    place.run_as_agent(&["audit", "verify", "grants"]).succeeds();
}

#[test]
fn a_09_a_passphrase_stands_in_for_a_terminal() {
    let place = TestEnvironment::with_touch();
    let allow =
        ["grants", "allow", "--server", "x#00000000", "--tool", "t", "--scope", "write:x:t", "--always"];
    let given = |line: &str, arguments: &[&str]| {
        let mut command = overt();
        command.env("OVERT_STATE_DIR", place.state()).args(arguments);
        crate::support::run_with_stdin(&mut command, line)
    };
    let with = [&allow[..], &["--passphrase-stdin"]].concat();
    // No passphrase is set, so none is correct.
    for line in ["", "\n", "correct horse battery\n"] {
        given(line, &with).exits(3, &["only a person can answer this"]);
    }
    set_passphrase(&place.state());
    for line in ["", "\n", "wrong\n", "correct horse battery \n"] {
        given(line, &with).exits(3, &["the passphrase is wrong"]);
    }
    given(&format!("{PASSPHRASE}\n"), &allow).exits(3, &["the passphrase was not given"]);
    // An environment variable proves nothing, because processes that an agent starts inherit it.
    let mut command = overt();
    command.env("OVERT_STATE_DIR", place.state()).env("OVERT_PASSPHRASE", PASSPHRASE).args(allow);
    report(&command.output().unwrap()).exits(3, &[]);
    given(&format!("{PASSPHRASE}\n"), &with).succeeds();
    assert!(place.run_as_agent(&["grants", "list"]).contains(r#""id":"g-1""#));
}

#[test]
fn a_09_a_passphrase_is_set_at_a_terminal_and_changed_with_the_old_one() {
    if !has_tools() {
        return;
    }
    let place = TestEnvironment::with_touch();
    place.run_as_agent(&["passphrase", "set"]).exits(2, &["at a terminal only"]);
    let (code, screen) =
        typing(&place, "passphrase set", &[("New passphrase: ", "first words"), ("again: ", "first words")]);
    assert_eq!(code, 0, "{screen}");
    assert!(!screen.contains("first words"), "it is not shown: {screen}");
    assert!(Passphrase::of(&place.state()).matches("first words").unwrap());
    let (code, screen) = typing(&place, "passphrase set", &[("Passphrase: ", "guess words")]);
    assert!(code == 3 && screen.contains("the passphrase is wrong"), "{screen}");
    let (code, screen) = typing(
        &place,
        "passphrase set",
        &[("Passphrase: ", "first words"), ("New passphrase: ", "one thing"), ("again: ", "another one")],
    );
    assert!(code == 2 && screen.contains("not the same"), "{screen}");
    place.run_as_agent(&["passphrase", "remove"]).exits(3, &[]);
    let (code, screen) = typing(&place, "passphrase remove", &[("Passphrase: ", "first words")]);
    assert_eq!(code, 0, "{screen}");
    assert!(place.run_as_agent(&["passphrase", "show"]).contains(r#"{"set":false}"#));
}

/// Runs a command in a terminal, and types each line when the preceding text is on the screen.
fn typing(place: &TestEnvironment, command: &str, lines: &[(&str, &str)]) -> (i32, String) {
    let mut running = Running::start(&mut place.terminal(&format!("\"$OVERT\" {command}")));
    let mut keys = running.0.stdin.take().unwrap();
    let mut output = running.0.stdout.take().unwrap();
    let screen = Arc::new(Mutex::new(String::new()));
    let seen = Arc::clone(&screen);
    let reader = std::thread::spawn(move || {
        let mut buffer = [0; 1024];
        while let Ok(count @ 1..) = output.read(&mut buffer) {
            seen.lock().unwrap().push_str(&String::from_utf8_lossy(&buffer[..count]));
        }
    });
    let mut from = 0;
    for (words, line) in lines {
        wait_until(&format!("{words:?} is on the screen"), || screen.lock().unwrap()[from..].contains(words));
        from = screen.lock().unwrap().len();
        write!(keys, "{line}\r").unwrap();
    }
    let code = running.0.wait().unwrap().code().unwrap();
    drop(keys);
    reader.join().unwrap();
    let screen = screen.lock().unwrap().clone();
    (code, screen)
}

#[test]
fn a_09_the_help_for_agents_does_not_teach_approving() {
    let guide = place_less(&["--ai-help"]);
    for taught in [
        "overt grants allow ",
        "overt trust ",
        "overt permit ",
        "passphrase-stdin",
        "Bash(overt:*)",
        "pins accept ",
    ] {
        assert!(!guide.contains(taught), "{taught}");
    }
    assert!(guide.contains("### overt grants allow\n\nOnly a person uses this command"), "{guide}");
    for command in [
        &["grants", "allow"][..],
        &["grants", "deny"],
        &["trust"],
        &["permit"],
        &["passphrase", "set"],
        &["pins", "accept"],
    ] {
        let help = place_less(&[command, &["--ai-help"]].concat());
        assert!(
            help.contains("Do NOT run it") && !help.contains("--yes") && help.lines().count() < 8,
            "{help}"
        );
    }
    let grants = place_less(&["grants", "--ai-help"]);
    assert!(
        !grants.contains("overt grants allow q-3") && grants.contains("overt grants show q-3"),
        "{grants}"
    );
}

fn place_less(arguments: &[&str]) -> CommandOutput {
    report(&overt().args(arguments).output().unwrap())
}
