//! `overt trust`: a server that only claims to read is trusted as far as a person has decided.

use overt_layers::grants::{
    Answer, Broader, Holder, Question, QuestionDetails, QuestionKind, QuestionState, ToolTrust,
    TrustedServerKey, TrustedTool,
};
use overt_policy::Trust;
use overt_state::grants::SqliteStore;
use overt_wire::Principal;
use serde_json::Value;
use tempfile::TempDir;

use crate::environment::TestEnvironment;
use crate::grants::{holder, write_a_file};
use crate::output::{CommandOutput, snapshot};
use crate::support::{Running, Script, report, wait_until};

const NOTES: &str = "notes#0a1b2c3d";

/// A question about how far to trust a server.
pub(crate) fn how_far(project: Option<&str>) -> Question {
    let shown = QuestionDetails {
        intent: "Call `search` with query=\"x\"".to_owned(),
        client: Some("Claude Code 2.1".to_owned()),
        server: "Notes".to_owned(),
        arguments_json: "{\"query\":\"x\"}".to_owned(),
        reading_tools: vec!["search".to_owned(), "fetch".to_owned()],
        changing_tools: vec!["remove".to_owned()],
        ..QuestionDetails::default()
    };
    let holder = Holder::session(holder().principal, format!("session {project:?}"));
    Question {
        holder,
        server: NOTES.to_owned(),
        project: project.map(str::to_owned),
        tool: "search".to_owned(),
        kind: QuestionKind::Trust,
        scopes: Vec::new(),
        wider: Vec::new(),
        broader: Broader::default(),
        shown,
        ..write_a_file()
    }
}

impl TestEnvironment {
    fn trust(&self, words: &[&str]) -> CommandOutput {
        self.run(&[&["trust"], words].concat())
    }
}

#[test]
fn a_decision_is_listed_and_taken_back() {
    let state = TestEnvironment::new();
    snapshot!(state.trust(&["--format", "text"]), @"
    exit 0
    --- stderr
    you have not decided about any server yet; the first call of a server asks how far you trust it
    ");
    snapshot!(state.trust(&[NOTES, "--project", "/", "--format", "text"]), @"
    exit 0
    --- stderr
    notes#0a1b2c3d in /: asks you before changes
    its tools are not known yet: its first call shows them and asks you
    ");
    snapshot!(state.trust(&[NOTES, "nothing", "--no-project"]), @r#"
    exit 0
    --- stdout
    {"server":"notes#0a1b2c3d","trust":"nothing","answered":[]}
    "#);
    snapshot!(state.trust(&["--list", "--format", "text"]), @"
    exit 0
    --- stdout
      SERVER          TRUST    MEANS                           PROJECT
      notes#0a1b2c3d  nothing  asks you nothing, only records  none (HTTP)
      notes#0a1b2c3d  changes  asks you before changes         /
    ");
    snapshot!(state.trust(&[]), @r#"
    exit 0
    --- stdout
    {"trusted":[{"server":"notes#0a1b2c3d","trust":"nothing"},{"server":"notes#0a1b2c3d","project":"/","trust":"changes"}]}
    "#);
    snapshot!(state.trust(&["notes", "--forget", "--project", "/", "--format", "text"]), @"
    exit 0
    --- stderr
    notes#0a1b2c3d in /: forgotten; its next call asks you again
    ");
    snapshot!(state.trust(&["notes", "--forget", "--project", "/"]), @"
    exit 2
    --- stderr
    error: nothing was decided about the server `notes#0a1b2c3d` in /

    hint: `overt trust --list` shows every decision with its project
    ");
    snapshot!(state.trust(&["notes", "--forget", "--no-project"]), @r#"
    exit 0
    --- stdout
    {"forgotten":"notes#0a1b2c3d"}
    "#);
    assert!(state.store.trusted().unwrap().is_empty());
}

#[test]
fn mistakes_are_explained() {
    let state = TestEnvironment::new();
    snapshot!(state.trust(&[NOTES, "--project", "/nonexistent"]), @"
    exit 2
    --- stderr
    error: the project `/nonexistent` can't be opened
      caused by: No such file or directory (os error 2)

    hint: name a folder that exists with `--project DIR`, or use `--no-project`
    ");
    snapshot!(state.trust(&[NOTES, "nothing", "--forget"]), @"
    exit 2
    --- stderr
    error: the argument '[LEVEL]' cannot be used with '--forget'

    Usage: overt trust <SERVER> [LEVEL] [--project <DIR>|--no-project]
           overt trust <SERVER> --forget [--project <DIR>|--no-project]
           overt trust [--list]

    For more information, try '--help'.
    ");
}

/// The question names the command to type. `overt grants allow` does not answer it.
#[test]
fn a_question_about_trust_names_its_command() {
    let state = TestEnvironment::new();
    state.waits(&how_far(Some("/home/me/my site")));
    snapshot!(state.grants(&["pending", "--format", "text"]), @r#"
    exit 0
    --- stdout
    q-1 asked [TIME] ago, the call waits 90 min more
      Claude Code 2.1 wants to use the server "Notes" (notes) in /home/me/my site for the first time

      This call: Call `search` with query="x"

      2 of its tools say they only read: search, fetch
      1 can change something: remove
      Only the server says so; Overt has not checked it.
      server     notes#0a1b2c3d
      answer     overt trust notes#0a1b2c3d --project '/home/me/my site'

    --- stderr
    `overt grants show ID` shows all of a question and every answer, `overt grants deny ID` refuses its call
    "#);
    snapshot!(state.grants(&["show", "q-1", "--format", "text"]), @r#"
    exit 0
    --- stdout
    q-1 asked [TIME] ago, the call waits 90 min more
      Claude Code 2.1 wants to use the server "Notes" (notes) in /home/me/my site for the first time

      This call: Call `search` with query="x"

      2 of its tools say they only read: search, fetch
      1 can change something: remove
      Only the server says so; Overt has not checked it.
      server     notes#0a1b2c3d

      arguments, with secrets hidden
        {
          "query": "x"
        }

      to answer
        overt trust notes#0a1b2c3d --project '/home/me/my site'              ask me for changes (recommended)
        overt trust notes#0a1b2c3d --project '/home/me/my site' deletes      ask me for deletes: what deletes, or leaves this machine
        overt trust notes#0a1b2c3d --project '/home/me/my site' everything   ask me for everything
        overt trust notes#0a1b2c3d --project '/home/me/my site' nothing      ask me for nothing, only record
        overt grants deny q-1                                                no
        overt grants deny q-1 --session                                      no, and don't ask again in this session
    "#);
    snapshot!(state.grants(&["allow", "q-1"]), @"
    exit 2
    --- stderr
    error: question `q-1` asks how far you trust a server, not whether a call may run

    hint: answer it with `overt trust notes#0a1b2c3d --project '/home/me/my site'`, or say no with `overt grants deny q-1`
    ");
    state.grants(&["deny", "q-1"]).succeeds();
}

/// The decision answers the questions that wait for it, in its project only.
#[test]
fn a_decision_answers_the_questions_that_wait_for_it() {
    let state = TestEnvironment::new();
    let one = state.waits(&how_far(Some("/")));
    let other = state.waits(&how_far(None));
    let call = state.waits(&write_a_file());
    snapshot!(state.trust(&["notes", "everything", "--project", "/", "--format", "text"]), @"
    exit 0
    --- stderr
    notes#0a1b2c3d in /: asks you before every call
    its tools are not known yet: its first call shows them and asks you
    q-1 is answered
    warning: q-2 is still open, because it asks about this server without a project; `overt trust notes#0a1b2c3d --no-project` answers it
    ");
    assert_eq!(
        state.store.question_state(&one).unwrap(),
        QuestionState::Answered(Answer::Trust(Trust::Everything), None)
    );
    for open in [&other, &call] {
        assert_eq!(state.store.question_state(open).unwrap(), QuestionState::Open);
    }
    snapshot!(state.trust(&["notes", "--no-project"]), @r#"
    exit 0
    --- stdout
    {"server":"notes#0a1b2c3d","trust":"changes","answered":["q-2"]}
    "#);
    assert_eq!(
        state.store.question_state(&other).unwrap(),
        QuestionState::Answered(Answer::Trust(Trust::Changes), None)
    );
    let key = TrustedServerKey { principal: Principal::local(), server: NOTES.to_owned(), project: None };
    let tool = TrustedTool { server: key, tool: "search".to_owned(), digest: "any".to_owned() };
    let known = state.store.look_at_trust(&tool).unwrap();
    assert_eq!(known, ToolTrust::NotShown(Trust::Changes), "no definition was shown");
}

/// A server with a tool that claims to only read, and a tool that changes something.
fn search_and_remove() -> TestEnvironment {
    let tools = r#"[{"name":"search","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
        {"name":"remove","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false}}]"#;
    let answer = r#"{"content":[{"type":"text","text":"found"}]}"#;
    TestEnvironment::of(Script::with_tools(&tools.replace('\n', "")).result("tools/call", answer))
}

/// DESIGN 5.3: if no person can be asked, the refusal names the one command for the user.
#[test]
fn a_server_is_believed_once_a_person_said_so() {
    let place = search_and_remove();
    let refused = place.call("search", &[]).exits(1, &[]);
    let result: Value =
        serde_json::from_str(refused.split("--- stdout\n").nth(1).unwrap().lines().next().unwrap()).unwrap();
    snapshot!(result["content"][0]["text"].as_str().unwrap(), @"Not done: `search` needs the user's approval, because they have not decided yet how far to trust the server `server-sh`, and nobody is answering questions right now. Tell the user what you want to do and why, and ask them to run `overt trust server-sh` in [TMP]. Don't run it yourself: the decision is the user's. When they have decided, repeat the same call. Don't try another way to get the same effect. [PERMISSION_NOT_GRANTED]");
    assert_eq!(result["_meta"]["dev.overt/error"]["code"], "PERMISSION_NOT_GRANTED");
    assert_eq!(place.calls(), 0);

    place.run(&["trust", "server-sh"]).exits(0, &[r#""trust":"changes""#]);
    place.call("search", &[]).exits(0, &["found"]);
    // It asks for changes.
    place.call("remove", &[]).exits(1, &[]);
    let elsewhere = TempDir::new().unwrap();
    report(&place.call_through(&["search"], &[]).current_dir(elsewhere.path()).output().unwrap())
        .exits(1, &["overt trust server-sh"]);

    place.run(&["trust", "server-sh", "nothing"]).succeeds();
    // It is only recorded.
    place.call("remove", &[]).succeeds();
    place.run(&["trust", "server-sh", "everything"]).succeeds();
    let refused = place.call("search", &[]).exits(1, &[]);
    assert!(!refused.contains("overt trust"), "{refused}");
    place.run(&["trust", "server-sh", "--forget"]).succeeds();
    assert!(place.call("search", &[]).contains("overt trust server-sh"));
    assert_eq!(place.calls(), 2);

    // Every decision is in the audit log.
    let log = place.run(&["audit", "query", "grants"]);
    for reason in ["trust: changes, in /", "trust: nothing, in /", "trust: everything, in /", "\"trust, in /"]
    {
        assert!(log.contains(reason), "{reason}: {log}");
    }
}

/// Makes a call wait while a person watches for questions.
fn watched_call(place: &TestEnvironment) -> (Running, Running) {
    let seen = place.path("seen");
    let mut watch = place.command(&["grants", "pending", "--watch"]);
    watch.stdout(std::fs::File::create(&seen).unwrap()).stderr(std::process::Stdio::null());
    let watch = Running(watch.spawn().unwrap());
    let store = || SqliteStore::open_if_there(&place.state()).unwrap();
    wait_until("somebody watches", || store().is_some_and(|store| store.has_listener().unwrap()));
    let call = Running::start(&mut place.call_through(&["search"], &[]));
    wait_until("the call waits", || place.read("seen").contains(r#""asks":"trust""#));
    (watch, call)
}

/// DESIGN 5.16: a call waits only while a person watches.
#[test]
fn a_call_is_refused_when_nobody_watches_any_more() {
    let place = search_and_remove();
    let (watch, call) = watched_call(&place);
    watch.interrupt();
    call.report().exits(1, &["overt trust server-sh"]);
    assert_eq!(place.calls(), 0);
}

/// DESIGN 5.16: while a person watches, the call waits, and the decision releases it.
#[test]
fn a_call_waits_while_somebody_watches() {
    let place = search_and_remove();
    let (watch, call) = watched_call(&place);
    assert_eq!(place.calls(), 0);
    let decided = place.run(&["trust", "server-sh"]);
    assert!(decided.contains(r#""answered":["q-1"]"#), "{decided}");
    call.report().exits(0, &["found"]);
    drop(watch);
}
