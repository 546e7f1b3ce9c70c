//! `overt watch` in a pseudo terminal: key presses, the screen, and the answers in the store.
use overt_wire::Principal;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use overt_layers::grants::{
    Answer, Breadth, Extent, GrantLifetime, GrantVerdict, Holder, Question, QuestionDetails, QuestionId,
    QuestionKind, Review,
};
use overt_policy::Trust;
use rustix::process::{Pid, Signal, kill_process};

use crate::environment::TestEnvironment;
use crate::grants::write_a_file;
use crate::support::{by_person, overt, report, wait_until};
use crate::watch_screen::Pty;

const CLIENTS: [&str; 4] = ["Claude Code 2.1", "Cursor 1.2", "Goose 1.0", "Zed 0.2"];

fn command(state: &TestEnvironment, arguments: &[&str]) -> Command {
    let mut command = overt();
    command.env("OVERT_STATE_DIR", state.state()).env("HOME", "/home/me").env_remove("OVERT_FORMAT");
    command.args(["watch", "--no-notify"]).args(arguments);
    command
}

fn watch(state: &TestEnvironment) -> Pty {
    Pty::inbox(&command(state, &[]), &state.state(), 80, 24)
}

/// Returns one of many questions of a client.
fn question(client: &str, number: usize) -> Question {
    let asked = write_a_file();
    Question {
        holder: Holder::session(Principal::local(), format!("session of {client}")),
        arguments: format!("{client} {number}"),
        shown: QuestionDetails {
            client: Some(client.to_owned()),
            intent: format!("Write file number {number}"),
            ..asked.shown
        },
        ..asked
    }
}

fn yes(lifetime: GrantLifetime) -> Option<Answer> {
    Some(Answer::Yes { lifetime, extent: Extent::Project, breadth: Breadth::Call, expires: None })
}

#[test]
fn questions_of_four_clients_are_answered_by_keys() {
    let state = TestEnvironment::new();
    let ids: Vec<(usize, QuestionId)> =
        (0..64).map(|number| (number % 4, state.waits(&question(CLIENTS[number % 4], number)))).collect();
    let mut pty = watch(&state);
    pty.wait_for("64 questions");
    pty.wait_for("Claude Code 2.1 in ~/site");
    // The first client: all questions at once, for the session.
    pty.press("*");
    pty.wait_for("64 questions, 16 marked");
    pty.press("s");
    pty.wait_for("48 questions");
    pty.wait_for("16 questions are answered");
    // The second client: each question, for this call.
    pty.press(&"y".repeat(16));
    pty.wait_for("32 questions");
    // The third client: no to each question.
    for left in (16..32).rev() {
        pty.press("n");
        pty.wait_for(&format!("{left} questions"));
    }
    // The last client: never again in this project.
    pty.press("*x");
    pty.wait_for("No questions");
    pty.wait_for("never asked again");
    pty.press("q");
    assert_eq!(pty.finish().code(), Some(0));
    assert!(pty.text().contains("calls no longer wait for an answer here"), "{}", pty.text());
    assert!(pty.is_restored());
    let expected = [
        yes(GrantLifetime::Session),
        yes(GrantLifetime::Once),
        Some(Answer::No),
        Some(Answer::NeverInProject),
    ];
    for (client, id) in ids {
        assert_eq!(state.taken(&id), expected[client], "{id}");
    }
    let mut refused = state.store.grants().unwrap();
    refused.retain(|grant| grant.terms.lifetime == GrantLifetime::Always);
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert_eq!(
        (refused[0].terms.verdict, refused[0].terms.client.as_deref()),
        (GrantVerdict::Refuse, Some("Zed 0.2"))
    );
}

#[test]
fn while_it_runs_calls_wait_and_new_questions_come_by_themselves() {
    let state = TestEnvironment::new();
    let mut pty = watch(&state);
    pty.wait_for("No question is open. Calls wait for your answer while this runs.");
    wait_until("it listens", || state.store.has_listener().unwrap());
    let id = state.waits(&question(CLIENTS[0], 1));
    pty.wait_for("1 question");
    pty.wait_for("Write file number 1");
    pty.wait_for("wants to run write_file of \"files\"");
    // A question that is answered elsewhere disappears from the inbox.
    let mut allow = overt();
    allow.env("OVERT_STATE_DIR", state.state()).args(["grants", "allow", &id.0]);
    report(&by_person(&mut allow)).succeeds();
    pty.wait_for("No questions");
    pty.press("q");
    assert_eq!(pty.finish().code(), Some(0));
    assert!(!state.store.has_listener().unwrap());
}

#[test]
fn a_diff_of_5000_lines_is_scrolled_to_its_end_and_the_window_may_change() {
    let state = TestEnvironment::new();
    let diff: String = (0..5_000).map(|line| format!("+line number {line}\n")).collect();
    let review = Review { diff: format!("--- a\n+++ a\n@@ -0,0 +1,5000 @@\n{diff}"), page: String::new() };
    state.store.ask(&question(CLIENTS[0], 1), Some(&review)).unwrap();
    let mut pty = watch(&state);
    pty.wait_for("q-1 lines 1-");
    pty.press("\t");
    pty.wait_for("scrolling");
    pty.press("\x1b[6~");
    pty.wait_for("+line number 3");
    pty.press("\x1b[F");
    pty.wait_for("+line number 4999");
    pty.press("\x1b[5~");
    pty.wait_for("+line number 4980");
    for (columns, rows) in [(120, 40), (60, 16), (30, 8), (80, 24)] {
        pty.resize(columns, rows);
        pty.wait_for(if columns < 40 { "window is too small" } else { "1 question" });
    }
    pty.wait_for("+line number");
    pty.press("q");
    assert_eq!(pty.finish().code(), Some(0));
}

#[test]
fn without_colour_nothing_is_painted() {
    let state = TestEnvironment::new();
    state.waits(&question(CLIENTS[0], 1));
    let painted = |arguments: &[&str], variable: Option<&str>| {
        let mut command = command(&state, arguments);
        variable.map(|value| command.env("NO_COLOR", value));
        let mut pty = Pty::inbox(&command, &state.state(), 80, 24);
        pty.wait_for("> ");
        pty.press("q");
        pty.finish();
        let text = pty.text();
        // Every escape sequence that ends with `m` sets a colour.
        text.split("\u{1b}[")
            .skip(1)
            .any(|rest| rest.trim_start_matches(|c: char| !c.is_ascii_alphabetic()).starts_with('m'))
    };
    assert!(painted(&[], None));
    assert!(!painted(&[], Some("1")));
    assert!(!painted(&["--no-color"], None));
}

#[test]
fn an_answer_is_taken_back() {
    let state = TestEnvironment::new();
    let id = state.waits(&question(CLIENTS[0], 1));
    let mut pty = watch(&state);
    pty.wait_for("1 question");
    pty.press("p");
    pty.wait_for("q-1: allowed");
    assert_eq!(state.store.grants().unwrap().len(), 1);
    assert_eq!(state.taken(&id), yes(GrantLifetime::Always));
    pty.press("u");
    pty.wait_for("q-1: taken back, g-1 is revoked");
    assert_eq!(state.store.grants().unwrap(), []);
    pty.press("u");
    pty.wait_for("nothing was answered here");
    pty.press("q");
    pty.finish();
    let mut audit = overt();
    audit.env("OVERT_STATE_DIR", state.state()).args(["audit", "query", "grants", "--format", "json"]);
    let said = report(&audit.output().unwrap());
    assert!(said.contains("\"agent\":\"Claude Code 2.1\"") && said.contains("\"kind\":\"revoke\""), "{said}");
}

#[test]
fn signals_and_a_terminal_that_goes_away_end_it() {
    let state = TestEnvironment::new();
    state.waits(&question(CLIENTS[0], 1));
    for signal in [Signal::TERM, Signal::HUP] {
        let mut pty = watch(&state);
        pty.wait_for("1 question");
        assert!(!pty.is_restored());
        kill_process(Pid::from_child(&pty.child), signal).unwrap();
        assert_eq!(pty.finish().code(), Some(130), "{signal:?}");
        assert!(pty.is_restored(), "{signal:?}");
        assert!(pty.text().contains("\u{1b}[?1049l"), "{signal:?}");
    }
    let mut pty = watch(&state);
    pty.wait_for("1 question");
    pty.disconnect();
    wait_until("it ends", || pty.child.try_wait().unwrap().is_some());
    assert!(!state.store.has_listener().unwrap());
    assert_eq!(state.store.questions().unwrap().len(), 1, "nothing was answered");
}

#[test]
fn a_store_that_goes_away_ends_it() {
    let state = TestEnvironment::new();
    for arguments in [&[][..], &["--plain"]] {
        let mut pty = Pty::inbox(&command(&state, arguments), &state.state(), 80, 24);
        pty.wait_for(if arguments.is_empty() { "No questions" } else { "Calls wait for your answer" });
        std::fs::rename(state.state().join("grants"), state.state().join("moved")).unwrap();
        assert_eq!(pty.finish().code(), Some(3));
        assert!(pty.is_restored() && pty.text().contains("is gone"), "{}", pty.text());
        std::fs::rename(state.state().join("moved"), state.state().join("grants")).unwrap();
    }
}

#[test]
fn line_by_line_one_letter_and_enter() {
    let state = TestEnvironment::new();
    let first = state.waits(&question(CLIENTS[0], 1));
    let second = state.waits(&question(CLIENTS[1], 2));
    let mut pty = Pty::inbox(&command(&state, &["--plain"]), &state.state(), 80, 60);
    pty.wait_for_output("Question q-1 (2 questions are open)");
    pty.wait_for_output("s  yes, and `write_file` until this session ends");
    pty.wait_for_output("q-1 >");
    pty.press("s\n");
    pty.wait_for_output("q-1: allowed `write:file:/home/me/notes/a.txt`, for the session");
    pty.wait_for_output("q-2 >");
    pty.press("zz\n");
    pty.wait_for_output("One letter and Enter");
    pty.press("x\n");
    pty.wait_for_output("q-2: refused, and never asked again about write_file in /home/me/site");
    pty.press("q\n");
    assert_eq!(pty.finish().code(), Some(0));
    assert_eq!(state.taken(&first), yes(GrantLifetime::Session));
    assert_eq!(state.taken(&second), Some(Answer::NeverInProject));
}

#[test]
fn a_question_about_a_server_is_answered_too() {
    let state = TestEnvironment::new();
    let asked = Question { kind: QuestionKind::Trust, ..question(CLIENTS[0], 1) };
    let id = state.waits(&asked);
    let mut pty = watch(&state);
    pty.wait_for("wants to use the server");
    pty.wait_for("c ask for changes");
    pty.press("s");
    pty.wait_for("s is not a key here");
    pty.press("c");
    pty.wait_for("q-1: the server asks you before changes");
    assert_eq!(state.store.trusted().unwrap().len(), 1);
    assert_eq!(state.taken(&id), Some(Answer::Trust(Trust::Changes)));
    // Trust can be revoked like any other answer.
    pty.press("u");
    pty.wait_for("q-1: taken back");
    assert!(state.store.trusted().unwrap().is_empty());
    pty.press("q");
    pty.finish();
}

/// A-09: an agent that starts the inbox can look at it. It can't answer, and no call waits because
/// of it.
#[test]
fn a_09_an_agent_can_look_at_the_inbox_and_not_answer() {
    let state = TestEnvironment::new();
    let id = state.waits(&question(CLIENTS[0], 1));
    for arguments in [&[][..], &["--plain"]] {
        let mut pty = Pty::by_agent(&command(&state, arguments), 100, 30);
        match arguments.is_empty() {
            true => pty.wait_for("1 question · read-only · Today: "),
            false => pty.wait_for_output("Read-only: questions are shown here and can't be answered."),
        }
        if !arguments.is_empty() {
            pty.wait_for_output("q-1 >");
        }
        assert!(!state.store.has_listener().unwrap(), "no call waits for it");
        match arguments.is_empty() {
            true => {
                pty.press("y");
                pty.wait_for("not done: only a person can answer this");
                pty.press("q");
            }
            false => {
                pty.press("y\n");
                pty.wait_for_output("not done: only a person can answer this");
                pty.press("q\n");
            }
        }
        assert_eq!(pty.finish().code(), Some(0));
    }
    assert_eq!(state.store.questions().unwrap().len(), 1, "nothing was answered");
    assert_eq!(state.taken(&id), None);
    // Each attempt to answer is recorded; looking is not.
    let log = report(
        &overt().env("OVERT_STATE_DIR", state.state()).args(["audit", "query", "grants"]).output().unwrap(),
    );
    assert_eq!(log.matches(r#""layer":"answerer""#).count(), 2, "{log}");
}

/// The desktop notification names the client, and contains nothing of the arguments.
#[test]
fn a_question_that_comes_is_told_to_the_desktop_or_by_the_bell() {
    let state = TestEnvironment::new();
    let programs = tempfile::TempDir::new().unwrap();
    let (program, told) = (programs.path().join("notify-send"), programs.path().join("told"));
    std::fs::write(&program, format!("#!/bin/sh\nprintf '%s\\n' \"$@\" > {}\n", told.display())).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", programs.path().display());
    for has_bus in [true, false] {
        let mut command = overt();
        command
            .env("OVERT_STATE_DIR", state.state())
            .env_remove("OVERT_FORMAT")
            .env("PATH", &path)
            .arg("watch");
        if has_bus {
            command.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent");
        }
        let mut pty = Pty::inbox(&command, &state.state(), 80, 24);
        pty.wait_for(if has_bus { "No questions" } else { "1 question" });
        state.waits(&question(CLIENTS[0], usize::from(has_bus)));
        pty.wait_for(if has_bus { "1 question" } else { "2 questions" });
        match has_bus {
            true => {
                wait_until("the desktop is told", || told.exists());
                wait_until("it is written", || !std::fs::read_to_string(&told).unwrap().is_empty());
                let said = std::fs::read_to_string(&told).unwrap();
                assert!(said.ends_with("wants to run write_file of \"files\" in /home/me/site\n"), "{said}");
                assert!(!pty.text().contains('\u{7}'));
            }
            false => assert!(pty.text().contains('\u{7}')),
        }
        pty.press("q");
        pty.finish();
    }
}

#[test]
fn without_a_terminal_it_says_what_to_use() {
    let state = TestEnvironment::new();
    let said = report(&command(&state, &[]).output().unwrap());
    assert!(said.contains("exit 2") && said.contains("`overt watch` needs a terminal"), "{said}");
    assert!(said.contains("overt grants pending --watch"), "{said}");
}
