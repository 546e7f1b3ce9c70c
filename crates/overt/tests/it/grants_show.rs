//! `overt grants show`: all details of one question.
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use overt_layers::description::PlanSummary;
use overt_layers::grants::{AskOutcome, Question, QuestionDetails, QuestionId, Review};

use crate::environment::TestEnvironment;
use crate::grants::write_a_file;
use crate::output::snapshot;
use crate::support::{overt, report};

const DIFF: &str = "--- notes/a.txt\n+++ notes/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three \u{1b}[2J\n";

/// A call with a plan that changes a file.
fn edit_a_file() -> (Question, Review) {
    let summary = PlanSummary {
        changed: 1,
        changes: vec!["notes/a.txt +1 -1".to_owned()],
        diff: "--- notes/a.txt\n… 5 more lines …".to_owned(),
        ..PlanSummary::default()
    };
    let question = write_a_file();
    let shown = QuestionDetails { changes: Some(summary), ..question.shown };
    let review = Review { diff: DIFF.to_owned(), page: "<!doctype html><title>changes</title>".to_owned() };
    (Question { shown, plan: Some("digest of the plan".to_owned()), ..question }, review)
}

pub(crate) fn planned(state: &TestEnvironment) -> QuestionId {
    let (question, review) = edit_a_file();
    match state.store.ask(&question, Some(&review)).unwrap() {
        AskOutcome::Open(id) => id,
        other => panic!("{other:?}"),
    }
}

#[test]
fn all_of_a_question_is_shown() {
    let state = TestEnvironment::new();
    planned(&state);
    snapshot!(state.grants(&["show", "q-1", "--format", "text"]), @r#"
    exit 0
    --- stdout
    q-1 asked [TIME] ago, the call waits 90 min more
      Claude Code 2.1 wants to run write_file of "files" in /home/me/site

      Write 12 bytes to `/home/me/notes/a.txt`

      1 changed:
        notes/a.txt +1 -1

      The tool: Writes a file.
      Effect: changes something, can be undone.
      Why you are asked: nothing allows `write:file:/home/me/notes/a.txt` yet
      To see all of it: overt grants show q-1 --open
      server     files
      needs      write:file:/home/me/notes/a.txt
      or wider   write:file:/home/me/notes

      arguments, with secrets hidden
        {
          "path": "/home/me/notes/a.txt"
        }

      changes
        --- notes/a.txt
        +++ notes/a.txt
        @@ -1,2 +1,2 @@
         one
        -two
        +three \u{1b}[2J

      to answer
        overt grants allow q-1                             yes, this call
        overt grants allow q-1 --session                   yes, and `write_file` until this session ends
        overt grants allow q-1 --for 8h --breadth folder   yes, and `write_file` in the folder around it for 8 hours (write:file:/home/me/notes)
        overt grants allow q-1 --for 8h                    yes, and `write_file` in this project for 8 hours
        overt grants allow q-1 --always                    yes, and `write_file` in this project until I revoke it
        overt grants allow q-1 --everywhere                yes, and `write_file` in every project until I revoke it
        overt grants deny q-1                              no
        overt grants deny q-1 --session                    no, and don't ask again in this session
        overt grants deny q-1 --never                      no, and never ask again about `write_file` in this project
    "#);
}

#[test]
fn a_question_without_a_preview_says_so() {
    let state = TestEnvironment::new();
    state.waits(&write_a_file());
    snapshot!(state.grants(&["show", "q-1", "--format", "text"]), @r#"
    exit 0
    --- stdout
    q-1 asked [TIME] ago, the call waits 90 min more
      Claude Code 2.1 wants to run write_file of "files" in /home/me/site

      Write 12 bytes to `/home/me/notes/a.txt`
        path "/home/me/notes/a.txt"

      The tool: Writes a file.
      Effect: changes something, can be undone.
      Why you are asked: nothing allows `write:file:/home/me/notes/a.txt` yet
      To see all of it: overt grants show q-1
      server     files
      needs      write:file:/home/me/notes/a.txt
      or wider   write:file:/home/me/notes

      arguments, with secrets hidden
        {
          "path": "/home/me/notes/a.txt"
        }

      changes
        There is no preview: only the server knows what this call changes.

      to answer
        overt grants allow q-1                             yes, this call
        overt grants allow q-1 --session                   yes, and `write_file` until this session ends
        overt grants allow q-1 --for 8h --breadth folder   yes, and `write_file` in the folder around it for 8 hours (write:file:/home/me/notes)
        overt grants allow q-1 --for 8h                    yes, and `write_file` in this project for 8 hours
        overt grants allow q-1 --always                    yes, and `write_file` in this project until I revoke it
        overt grants allow q-1 --everywhere                yes, and `write_file` in every project until I revoke it
        overt grants deny q-1                              no
        overt grants deny q-1 --session                    no, and don't ask again in this session
        overt grants deny q-1 --never                      no, and never ask again about `write_file` in this project
    "#);
    let opened =
        state.grants(&["show", "q-1", "--open", "--format", "text"]).exits(0, &["There is no preview"]);
    let warning = opened.split("--- stderr\n").nth(1).unwrap_or_default();
    snapshot!(warning, @"warning: there is no page to open, because this call has no preview: decide by its arguments and by how far you trust the server, or refuse it with `overt grants deny`");
    assert!(!state.state().join("reviews").exists());
    snapshot!(state.grants(&["show", "q-7"]), @"
    exit 2
    --- stderr
    error: question `q-7` is not open; these are: `q-1`

    hint: `overt grants pending` shows what waits; a call that waited too long must be made again
    ");
}

/// No argument is truncated, however long it is.
#[test]
fn long_arguments_are_shown_whole() {
    let state = TestEnvironment::new();
    let long = "x".repeat(20_000);
    let question = write_a_file();
    let shown = QuestionDetails { arguments_json: format!("{{\"content\":\"{long}\"}}"), ..question.shown };
    state.waits(&Question { shown, ..question });
    assert!(state.grants(&["show", "q-1", "--format", "text"]).contains(&long));
}

#[test]
fn the_page_is_a_private_file_that_goes_with_its_question() {
    let state = TestEnvironment::new();
    let first = planned(&state);
    // Without a display, no browser is started.
    snapshot!(state.grants(&["show", "q-1", "--open", "--format", "text"]), @"
    exit 0
    --- stdout
    [TMP]/state/reviews/q-1.html
    --- stderr
    no browser can be opened from here; open this file in one
    ");
    let reviews = state.state().join("reviews");
    let page = reviews.join("q-1.html");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&reviews), mode(&page)), (0o700, 0o600));
    assert_eq!(std::fs::read_to_string(&page).unwrap(), edit_a_file().1.page);
    state.grants(&["show", "q-1", "--open"]).exits(0, &[r#"/reviews/q-1.html"}"#]);
    state.closes(&first);
    planned(&state);
    state.grants(&["show", "q-2", "--open"]).succeeds();
    assert!(!page.exists() && reviews.join("q-2.html").exists(), "the old page is removed");
}

/// The page is opened with the same program that `overt login` uses.
#[test]
fn the_page_opens_in_the_browser() {
    let state = TestEnvironment::new();
    planned(&state);
    let bin = state.state().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let browser = bin.join(if cfg!(target_os = "macos") { "open" } else { "xdg-open" });
    let seen = state.state().join("seen");
    std::fs::write(
        &browser,
        format!("#!/bin/sh\nprintf %s \"$1\" > '{0}.new' && mv '{0}.new' '{0}'\n", seen.display()),
    )
    .unwrap();
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = overt();
    command.env("PATH", format!("{}:/usr/bin:/bin", bin.display())).env("DISPLAY", ":7");
    command.env("OVERT_STATE_DIR", state.state());
    command.args(["grants", "show", "q-1", "--open", "--format", "text"]);
    let said = report(&command.output().unwrap());
    assert!(said.ends_with("the page opens in the browser"), "{said}");
    crate::support::wait_until("the browser starts", || seen.exists());
    let page = state.state().join("reviews/q-1.html");
    assert_eq!(std::fs::read_to_string(&seen).unwrap(), page.to_string_lossy());
}
