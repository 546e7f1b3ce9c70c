//! What a person sees: the binary with a terminal as all three streams.
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::day::edit;
use crate::environment::TestEnvironment;
use crate::support::{Script, wait_until};

/// A program that runs longer than this waits for input that the test does not expect.
const LONGEST: Duration = Duration::from_secs(60);

/// The binary on a terminal of 70 columns.
pub(crate) struct Terminal {
    keys: File,
    screen: Arc<Mutex<String>>,
    child: Child,
}

impl Terminal {
    pub(crate) fn start(command: &mut Command) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        tcsetwinsize(&ours, Winsize { ws_row: 24, ws_col: 70, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        let path = std::ffi::OsStr::from_bytes(name.as_bytes());
        let theirs = || OpenOptions::new().read(true).write(true).open(path).unwrap();
        let child = command
            .stdin(theirs())
            .stdout(theirs())
            .stderr(theirs())
            .env("TERM", "xterm")
            .env_remove("OVERT_FORMAT")
            .spawn()
            .unwrap();
        let keys = File::from(ours);
        let mut reader = keys.try_clone().unwrap();
        let screen = Arc::new(Mutex::new(String::new()));
        let seen = Arc::clone(&screen);
        // The thread ends with the child: reading fails when the child's last end of the terminal
        // is closed.
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                seen.lock().unwrap().push_str(&String::from_utf8_lossy(&buffer[..count]));
            }
        });
        Self { keys, screen, child }
    }

    pub(crate) fn type_line(&mut self, line: &str) {
        writeln!(self.keys, "{line}").unwrap();
    }

    /// Returns everything that was shown so far.
    pub(crate) fn screen(&self) -> String {
        self.screen.lock().unwrap().clone()
    }

    #[track_caller]
    pub(crate) fn wait_for(&self, text: &str) {
        let seen = || self.screen.lock().unwrap().contains(text);
        wait_until(&format!("the screen shows {text:?}"), seen);
    }

    /// Returns the exit code and the whole output, with the `\r\n` that the terminal makes.
    pub(crate) fn finish(mut self) -> (i32, String) {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            let screen = || settled(&self.screen.lock().unwrap());
            assert!(start.elapsed() < LONGEST, "the program does not end:\n{}", screen());
            std::thread::sleep(Duration::from_millis(20));
        };
        let code = status.code().unwrap();
        std::thread::sleep(Duration::from_millis(100));
        let screen = self.screen.lock().unwrap().clone();
        (code, screen)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

/// Returns what is left on the screen after the spinner, without escape sequences and erased lines.
pub(crate) fn settled(screen: &str) -> String {
    let plain = anstream::adapter::strip_str(screen).to_string();
    let lines = plain.split('\n').map(|line| {
        let line = line.trim_end_matches('\r');
        line.rsplit('\r').next().unwrap_or_default().trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn tools() -> Script {
    Script::with_tools(
        r#"[{"name":"a_tool_with_a_name","description":"A description that is much longer than the terminal is wide, so it is cut","inputSchema":{"type":"object","properties":{"first":{},"second":{}},"required":["first"]},"annotations":{"readOnlyHint":true}},{"name":"b","description":"\u001b[2J"}]"#,
    )
}

#[test]
fn tables_fit_and_have_colours() {
    let (code, screen) = Terminal::start(&mut tools().overt(&["list"])).finish();
    assert_eq!(code, 0);
    let text = settled(&screen);
    assert!(
        text.ends_with(
            "Tools (2)\n  \
             NAME                ARGUMENTS    HINTS      DESCRIPTION\n  \
             a_tool_with_a_name  first [sec…  read-only  A description that is m…\n  \
             b                                           \\u{1b}[2J\n"
        ),
        "{text}"
    );
    assert!(screen.contains("\u{1b}[32ma_tool_with_a_name\u{1b}[0m"), "{screen:?}");
    assert!(!screen.contains("\u{1b}[2J"), "{screen:?}");
}

#[test]
fn no_color_is_respected() {
    let (_, screen) = Terminal::start(tools().overt(&["list"]).env("NO_COLOR", "1")).finish();
    assert!(screen.contains("a_tool_with_a_name"), "{screen:?}");
    // The spinner still moves the cursor, but nothing is coloured.
    for sequence in screen.split("\u{1b}[").skip(1) {
        let end = sequence.find(|c: char| c.is_ascii_alphabetic()).unwrap();
        assert_ne!(sequence.as_bytes()[end], b'm', "{screen:?}");
    }
}

#[test]
fn card_06_json_on_a_terminal_has_no_live_characters() {
    let server = Script::with_tools(r#"[{"name":"t"}]"#)
        .on("tools/call", r#"answer "$(printf '{"content":[],"x":"\302\233\342\200\256"}')""#);
    let (code, screen) =
        Terminal::start(&mut server.overt(&["call", "t", "--format", "json", "--quiet"])).finish();
    assert_eq!((code, screen.as_str()), (0, "{\"content\":[],\"x\":\"\\u009b\\u202e\"}\r\n"));
}

#[test]
fn raw_text_does_not_go_to_a_terminal() {
    let (code, screen) = Terminal::start(&mut tools().overt(&["call", "b", "--raw"])).finish();
    assert_eq!(code, 2);
    assert!(
        settled(&screen).starts_with("error: `--raw` would write the server's text to a terminal"),
        "{screen}"
    );
}

#[test]
fn progress_is_a_bar_that_goes_away() {
    let server = Script::with_tools(r#"[{"name":"t"}]"#).on(
        "tools/call",
        r#"send '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"total":2,"message":"half\u001b[2J"}}'
sleep 0.5; answer '{"content":[{"type":"text","text":"done"}]}'"#,
    );
    let (code, screen) = Terminal::start(&mut server.overt(&["call", "t"])).finish();
    assert_eq!(code, 0);
    assert!(screen.contains("1/2 half\\u{1b}[2J") && screen.contains('█'), "{screen:?}");
    assert_eq!(settled(&screen).lines().last(), Some("done"), "{screen:?}");
}

/// A server that asks for a name and reports the answer.
fn asking() -> Script {
    Script::with_tools(r#"[{"name":"t"}]"#).on(
        "tools/call",
        r#"call=$id
send '{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"Who are you?\u001b[2J","requestedSchema":{"type":"object","properties":{"name":{"type":"string","title":"Your name"}},"required":["name"]}}}'
hear; case $line in *accept*) heard=accepted;; *decline*) heard=declined;; *) heard=cancelled;; esac
id=$call; answer '{"content":[{"type":"text","text":"it was '$heard'"}]}'"#,
    )
}

#[test]
fn u_06_a_question_with_one_field_is_asked_once() {
    let server = asking();
    let mut terminal = Terminal::start(&mut server.overt(&["call", "t"]));
    terminal.wait_for("Your name (string, required)");
    terminal.wait_for("> ");
    terminal.type_line("Ada");
    let (code, screen) = terminal.finish();
    let text = settled(&screen);
    assert!(
        code == 0 && text.contains("it was accepted") && text.contains("Who are you?\\u{1b}[2J"),
        "{text}"
    );
    let received = server.received();
    assert!(received.contains(r#""result":{"action":"accept","content":{"name":"Ada"}}"#), "{received}");
    assert!(received.contains(r#""capabilities":{"elicitation":{"form":{}}}"#), "{received}");
}

#[test]
fn an_empty_answer_declines() {
    let server = asking();
    let mut terminal = Terminal::start(&mut server.overt(&["call", "t"]));
    terminal.wait_for("> ");
    terminal.type_line("");
    let (code, screen) = terminal.finish();
    assert!(code == 0 && settled(&screen).contains("it was declined"), "{screen}");
}

#[test]
fn a_server_at_a_terminal_says_what_it_is() {
    let place = crate::fs::two_folders();
    let state = tempfile::TempDir::new().unwrap();
    let mut command = crate::support::overt();
    command
        .args(["fs", "root", "--read-only", "--hidden", "**/.env", "--hidden", "a b"])
        .args(["--grantable", "root/../outside"])
        .current_dir(&place)
        .env("OVERT_STATE_DIR", state.path());
    let mut terminal = Terminal::start(&mut command);
    terminal.wait_for("this is an MCP server; it waits for a client on standard input");
    terminal.wait_for("/root (read only)");
    terminal.wait_for("claude mcp add files -- ");
    // The suggested line also hides these files from the client that uses it.
    terminal.wait_for("--hidden '**/.env' --hidden 'a b'");
    // The client starts it in another directory, where a relative path would name another folder.
    let outside = place.path().join("outside").canonicalize().unwrap();
    terminal.wait_for(&format!("--grantable {}", outside.display()));
    terminal.wait_for("overt call fs list_directory");
    // The end of the input ends the conversation.
    terminal.type_line("\u{4}");
    assert_eq!(terminal.finish().0, 0);
}

#[test]
fn a_skills_server_at_a_terminal_repeats_its_options() {
    let place = tempfile::TempDir::new().unwrap();
    std::fs::create_dir(place.path().join("notes")).unwrap();
    let skill = "---\nname: notes\ndescription: Takes notes. Use when somebody dictates.\n---\nWrite.\n";
    std::fs::write(place.path().join("notes/SKILL.md"), skill).unwrap();
    let mut command = crate::support::overt();
    command.args(["skills", ".", "--tools", "--serve", "source", "--rate-limit", "9/hour"]);
    command.current_dir(place.path()).env("OVERT_STATE_DIR", place.path().join("state"));
    let mut terminal = Terminal::start(&mut command);
    terminal.wait_for("claude mcp add skills -- ");
    terminal.wait_for("--tools --serve=source --rate-limit 9/hour");
    terminal.type_line("\u{4}");
    assert_eq!(terminal.finish().0, 0);
}

/// If the columns don't fit the terminal, nothing is truncated.
#[test]
fn grants_are_shown_whole_on_a_narrow_terminal() {
    let day = TestEnvironment::with_projects();
    let scope = "write:file:/home/ada/projects/a-rather-long-name/of-a-folder";
    let words =
        ["grants", "allow", "--tool", "create_entities", "--server", "memory#0a1b2c3d", "--scope", scope];
    day.text_in("site", &[&words[..], &["--project", ".", "--for", "8h"]].concat()).succeeds();
    let (code, screen) = Terminal::start(&mut day.command_in("site", &["grants", "list"])).finish();
    let text = settled(&screen);
    assert_eq!(code, 0);
    assert!(text.contains("g-1: create_entities of memory#0a1b2c3d\n"), "{text}");
    for part in [scope, day.path("site").to_str().unwrap(), "allowed until 20", "since"] {
        assert!(text.contains(part), "{part} is cut: {text}");
    }
    assert!(!text.contains('…'), "{text}");
}

/// A person at a terminal sees the diff and is asked. A no changes nothing. The log fits the
/// terminal.
#[test]
fn undoing_asks_and_the_log_fits() {
    let day = TestEnvironment::with_projects();
    let mut claude = day.files("claude-code", "site", &["."]);
    edit(&mut claude, "src/a.ts", "one", "1");
    claude.call("read_file", &serde_json::json!({ "path": format!("src/{}.ts", "long".repeat(30)) }));
    claude.end();
    for (answer, said, content) in
        [("n", "nothing was undone", "1 a\ntwo\n"), ("y", "is undone as", "one a\ntwo\n")]
    {
        let mut terminal = Terminal::start(&mut day.command_in("site", &["undo"]));
        terminal.wait_for("Undo this change? [y/N]");
        let shown = settled(&terminal.screen.lock().unwrap());
        assert!(shown.contains("+one a"), "the diff comes first: {shown}");
        terminal.type_line(answer);
        terminal.wait_for(said);
        assert_eq!(terminal.finish().0, 0);
        assert_eq!(day.read("site/src/a.ts"), content);
    }
    let (code, screen) = Terminal::start(&mut day.command_in("site", &["log"])).finish();
    let text = settled(&screen);
    assert_eq!(code, 0);
    assert!(text.contains("TODAY") && text.contains("…"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 70), "{text}");
}
