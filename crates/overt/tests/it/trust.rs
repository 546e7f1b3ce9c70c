//! `overt trust`: a server that only claims to read is trusted as far as a person has decided.
use std::path::Path;
use std::process::Command;

use overt_layers::grants::{
    Answer, Broader, GrantStore as _, Holder, Question, QuestionDetails, QuestionKind, TrustedTool,
};
use overt_policy::Trust;
use overt_state::grants::SqliteStore;
use serde_json::Value;
use tempfile::TempDir;

use crate::grants::{State, holder, write_a_file};
use crate::support::{Running, Script, by_person, overt, report, snapshot, wait_until};

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
    let holder = Holder { session: format!("session {project:?}"), ..holder() };
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

#[test]
fn a_decision_is_listed_and_taken_back() {
    let state = State::new();
    snapshot!(state.trust(&["--format", "text"]), @"
    exit 0
    --- stderr
    you have not decided about any server yet; the first call of a server asks how far you trust it
    ");
    snapshot!(state.trust(&[NOTES, "--project", "/", "--format", "text"]), @"
    exit 0
    --- stderr
    notes#0a1b2c3d in /: asks you before changes
    ");
    snapshot!(state.trust(&[NOTES, "record", "--no-project"]), @r#"
    exit 0
    --- stdout
    {"server":"notes#0a1b2c3d","trust":"record","answered":[]}
    "#);
    snapshot!(state.trust(&["--list", "--format", "text"]), @"
    exit 0
    --- stdout
      SERVER          TRUST    MEANS                           PROJECT
      notes#0a1b2c3d  record   asks you nothing, only records  none (HTTP)
      notes#0a1b2c3d  changes  asks you before changes         /
    ");
    snapshot!(state.trust(&[]), @r#"
    exit 0
    --- stdout
    {"trusted":[{"server":"notes#0a1b2c3d","trust":"record"},{"server":"notes#0a1b2c3d","project":"/","trust":"changes"}]}
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
    let state = State::new();
    snapshot!(state.trust(&["nobody"]), @"
    exit 2
    --- stderr
    error: no server `nobody` is known

    hint: put `overt run` in front of it once, or name it as `nobody#ID`; `overt pins list` shows the ids
    ");
    snapshot!(state.trust(&[NOTES, "some"]), @"
    exit 2
    --- stderr
    error: invalid value 'some' for '[LEVEL]'
      [possible values: changes, everything, record]

    For more information, try '--help'.
    ");
    snapshot!(state.trust(&[NOTES, "--project", "/nonexistent"]), @"
    exit 2
    --- stderr
    error: the project `/nonexistent` can't be opened
      caused by: No such file or directory (os error 2)

    hint: name a folder that exists with `--project DIR`, or use `--no-project`
    ");
    snapshot!(state.trust(&[NOTES, "record", "--forget"]), @"
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
    let state = State::new();
    state.waits(&how_far(Some("/home/me/my site")));
    snapshot!(state.run(&["pending", "--format", "text"]), @r#"
    exit 0
    --- stdout
    q-1 asked [S] ago, the call waits 90 min more
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
    snapshot!(state.run(&["show", "q-1", "--format", "text"]), @r#"
    exit 0
    --- stdout
    q-1 asked [S] ago, the call waits 90 min more
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
        overt trust notes#0a1b2c3d --project '/home/me/my site'              ask me for changes only (recommended)
        overt trust notes#0a1b2c3d --project '/home/me/my site' everything   ask me for everything
        overt trust notes#0a1b2c3d --project '/home/me/my site' record       don't ask, only record
        overt grants deny q-1                                                no
        overt grants deny q-1 --session                                      no, and don't ask again in this session
    "#);
    snapshot!(state.run(&["allow", "q-1"]), @"
    exit 2
    --- stderr
    error: question `q-1` asks how far you trust a server, not whether a call may run

    hint: answer it with `overt trust notes#0a1b2c3d --project '/home/me/my site'`, or say no with `overt grants deny q-1`
    ");
    assert!(state.run(&["deny", "q-1"]).starts_with("exit 0"));
}

/// The decision answers the questions that wait for it, in its project only.
#[test]
fn a_decision_answers_the_questions_that_wait_for_it() {
    let state = State::new();
    let one = state.waits(&how_far(Some("/")));
    let other = state.waits(&how_far(None));
    let call = state.waits(&write_a_file());
    snapshot!(state.trust(&["notes", "everything", "--project", "/", "--format", "text"]), @"
    exit 0
    --- stderr
    notes#0a1b2c3d in /: asks you before every call
    q-1 is answered
    warning: q-2 is still open, because it asks about this server without a project; `overt trust notes#0a1b2c3d --no-project` answers it
    ");
    assert_eq!(state.store.answer(&one).unwrap(), Some(Answer::Trust(Trust::Everything)));
    assert_eq!((state.store.answer(&other).unwrap(), state.store.answer(&call).unwrap()), (None, None));
    snapshot!(state.trust(&["notes", "--no-project"]), @r#"
    exit 0
    --- stdout
    {"server":"notes#0a1b2c3d","trust":"changes","answered":["q-2"]}
    "#);
    assert_eq!(state.store.answer(&other).unwrap(), Some(Answer::Trust(Trust::Changes)));
    let tool = TrustedTool { server: NOTES, project: None, tool: "search", digest: "any" };
    assert_eq!(state.store.trust(&tool).unwrap(), Some(Trust::Changes));
}

/// A server that claims to only read, a state folder, and two projects.
struct Place {
    server: Script,
    state: TempDir,
    project: TempDir,
}

impl Place {
    fn new() -> Self {
        let tools = r#"[{"name":"search","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
            {"name":"remove","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false}}]"#;
        let server = Script::with_tools(&tools.replace('\n', ""))
            .result("tools/call", r#"{"content":[{"type":"text","text":"found"}]}"#);
        Self { server, state: TempDir::new().unwrap(), project: TempDir::new().unwrap() }
    }

    /// Runs `overt call` through `overt run` in a project. Its client can't ask a person.
    fn call(&self, tool: &str, project: &Path) -> Command {
        let mut command = overt();
        command.current_dir(project).args(["call", tool, "--format", "json", "--", "env"]);
        command.arg(format!("OVERT_STATE_DIR={}", self.state.path().display()));
        command.args([env!("CARGO_BIN_EXE_overt"), "run", "--"]).args(self.server.command());
        command
    }

    fn called(&self, tool: &str) -> String {
        report(&self.call(tool, self.project.path()).output().unwrap())
    }

    fn overt(&self, arguments: &[&str]) -> Command {
        let mut command = overt();
        command.current_dir(self.project.path()).env("OVERT_STATE_DIR", self.state.path()).args(arguments);
        command
    }

    fn said(&self, arguments: &[&str]) -> String {
        report(&by_person(&mut self.overt(arguments)))
    }

    fn calls(&self) -> usize {
        self.server.received().matches(r#""method":"tools/call""#).count()
    }
}

/// DESIGN 5.3: if no person can be asked, the refusal names the one command for the user.
#[test]
fn a_server_is_believed_once_a_person_said_so() {
    let place = Place::new();
    let refused = place.called("search");
    assert!(refused.starts_with("exit 1"), "{refused}");
    let result: Value =
        serde_json::from_str(refused.split("--- stdout\n").nth(1).unwrap().lines().next().unwrap()).unwrap();
    snapshot!(result["content"][0]["text"].as_str().unwrap(), @"Not done: `search` needs the user's approval, because they have not decided yet how far to trust the server `server-sh`, and nobody is answering questions right now. Tell the user what you want to do and why, and ask them to run `overt trust server-sh` in [TMP]. Don't run it yourself: the decision is the user's. When they have decided, repeat the same call. Don't try another way to get the same effect. [PERMISSION_NOT_GRANTED]");
    assert_eq!(result["_meta"]["dev.overt/error"]["code"], "PERMISSION_NOT_GRANTED");
    assert_eq!(place.calls(), 0);

    let decided = place.said(&["trust", "server-sh"]);
    assert!(decided.starts_with("exit 0") && decided.contains(r#""trust":"changes""#), "{decided}");
    let called = place.called("search");
    assert!(called.starts_with("exit 0") && called.contains("found"), "{called}");
    assert!(place.called("remove").starts_with("exit 1"), "it asks for changes");
    let elsewhere = TempDir::new().unwrap();
    let refused = report(&place.call("search", elsewhere.path()).output().unwrap());
    assert!(refused.starts_with("exit 1") && refused.contains("overt trust server-sh"), "{refused}");

    assert!(place.said(&["trust", "server-sh", "record"]).starts_with("exit 0"));
    assert!(place.called("remove").starts_with("exit 0"), "it is only recorded");
    assert!(place.said(&["trust", "server-sh", "everything"]).starts_with("exit 0"));
    let refused = place.called("search");
    assert!(refused.starts_with("exit 1") && !refused.contains("overt trust"), "{refused}");
    assert!(place.said(&["trust", "server-sh", "--forget"]).starts_with("exit 0"));
    assert!(place.called("search").contains("overt trust server-sh"));
    assert_eq!(place.calls(), 2);

    // Every decision is in the audit log.
    let log = place.said(&["audit", "query", "grants"]);
    for reason in ["trust: changes, in /", "trust: record, in /", "trust: everything, in /", "\"trust, in /"]
    {
        assert!(log.contains(reason), "{reason}: {log}");
    }
}

impl Place {
    /// Makes a call wait while a person watches for questions.
    fn watched_call(&self) -> (Running, Running) {
        let seen = self.state.path().join("seen");
        let mut watch = self.overt(&["grants", "pending", "--watch"]);
        watch.stdout(std::fs::File::create(&seen).unwrap()).stderr(std::process::Stdio::null());
        let watch = Running(watch.spawn().unwrap());
        let store = || SqliteStore::open_if_there(self.state.path()).unwrap();
        wait_until("somebody watches", || store().is_some_and(|store| store.has_listener().unwrap()));
        let call = Running::start(&mut self.call("search", self.project.path()));
        let is_seen = || std::fs::read_to_string(&seen).unwrap().contains(r#""asks":"trust""#);
        wait_until("the call waits", is_seen);
        (watch, call)
    }
}

/// DESIGN 5.16: a call waits only while a person watches.
#[test]
fn a_call_is_refused_when_nobody_watches_any_more() {
    let place = Place::new();
    let (watch, call) = place.watched_call();
    watch.interrupt();
    let refused = call.report();
    assert!(refused.starts_with("exit 1") && refused.contains("overt trust server-sh"), "{refused}");
    assert_eq!(place.calls(), 0);
}

/// DESIGN 5.16: while a person watches, the call waits, and the decision releases it.
#[test]
fn a_call_waits_while_somebody_watches() {
    let place = Place::new();
    let (watch, call) = place.watched_call();
    assert_eq!(place.calls(), 0);
    let decided = place.said(&["trust", "server-sh"]);
    assert!(decided.contains(r#""answered":["q-1"]"#), "{decided}");
    let called = call.report();
    assert!(called.starts_with("exit 0") && called.contains("found"), "{called}");
    drop(watch);
}
