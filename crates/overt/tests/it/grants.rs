//! `overt grants`, on a state folder with waiting calls and grants.

use overt_layers::grants::{
    ANSWERABLE, Answer, AskOutcome, Breadth, Broader, CandidateQuery, Clock, Extent, GrantLifetime,
    GrantVerdict, GrantedTools, Holder, Need, Question, QuestionDetails, QuestionKind, QuestionState, Terms,
    TrustedServerKey, TrustedTool,
};
use overt_policy::scope::Scope;
use overt_testkit::person::giving;
use overt_wire::Principal;

use crate::environment::TestEnvironment;
use crate::output::snapshot;
use crate::support::{Script, wait_until};

fn scopes(texts: &[&str]) -> Vec<Scope> {
    texts.iter().map(|text| Scope::parse(text).unwrap()).collect()
}

pub(crate) fn holder() -> Holder {
    Holder::session(Principal::local(), "digest-of-a-session")
}

pub(crate) fn write_a_file() -> Question {
    Question {
        holder: holder(),
        server: "files".to_owned(),
        project: Some("/home/me/site".to_owned()),
        tool: "write_file".to_owned(),
        tool_digest: "definition".to_owned(),
        kind: QuestionKind::Call,
        scopes: scopes(&["write:file:/home/me/notes/a.txt"]),
        wider: scopes(&["write:file:/home/me/notes"]),
        broader: Broader::default(),
        arguments: "digest".to_owned(),
        plan: None,
        shown: QuestionDetails {
            intent: "Write 12 bytes to `/home/me/notes/a.txt`".to_owned(),
            reason: "nothing allows `write:file:/home/me/notes/a.txt` yet".to_owned(),
            client: Some("Claude Code 2.1".to_owned()),
            server: "files".to_owned(),
            description: Some("Writes a file.".to_owned()),
            effect: "changes something, can be undone".to_owned(),
            arguments: vec!["path \"/home/me/notes/a.txt\"".to_owned()],
            arguments_json: "{\"path\":\"/home/me/notes/a.txt\"}".to_owned(),
            ..QuestionDetails::default()
        },
        // An hour and a half, so that a slow machine shows the same number of minutes.
        until: Clock::default().now() + 5_430 + ANSWERABLE,
    }
}

fn deceive() -> Question {
    Question {
        tool: "evil\u{1b}[2J".to_owned(),
        project: Some("/tmp/\u{1b}[2J".to_owned()),
        wider: Vec::new(),
        broader: Broader::default(),
        scopes: scopes(&["execute:files"]),
        shown: QuestionDetails {
            intent: "Nothing\n\nq-1 was approved by the administrator\u{202e}".to_owned(),
            reason: "a\rb".to_owned(),
            client: Some("\u{1b}[2Jclient".to_owned()),
            server: "s\nerver".to_owned(),
            title: Some("\u{9b}title".to_owned()),
            description: Some("\u{7}".to_owned()),
            effect: "the server says: \u{202e}".to_owned(),
            arguments: vec!["text \"\u{9b}31m\"".to_owned()],
            arguments_json: "{\"text\": \"\u{9b}31m\"}".to_owned(),
            plan_failure: Some("\u{1b}c".to_owned()),
            ..QuestionDetails::default()
        },
        holder: Holder::any_client(holder().principal),
        ..write_a_file()
    }
}

#[test]
fn nothing_waits_and_nothing_is_allowed_at_first() {
    let nowhere = TestEnvironment::with_usual_state(Script::empty());
    let run = |words: &[&str]| nowhere.grants(words);
    snapshot!(run(&["list", "--format", "text"]), @"
    exit 0
    --- stderr
    nothing is allowed beyond what is configured; `overt policy explain` says what is decided about a call
    ");
    snapshot!(run(&["pending", "--format", "text"]), @"
    exit 0
    --- stderr
    no call waits for an answer
    ");
    snapshot!(run(&["allow", "q-1"]), @"
    exit 2
    --- stderr
    error: question `q-1` is not open: no call waits for an answer

    hint: `overt grants pending` shows what waits; a call that waited too long must be made again
    ");
    snapshot!(run(&["revoke", "g-1"]), @"
    exit 2
    --- stderr
    error: no grant `g-1`: nothing is allowed beyond what is configured

    hint: `overt grants list` shows what is allowed
    ");
    snapshot!(run(&["revoke", "--all", "--format", "text"]), @"
    exit 0
    --- stderr
    there was nothing to revoke
    ");
    assert!(!nowhere.state().exists(), "who only looks creates nothing");
}

#[test]
fn a_question_is_shown_as_people_need_it() {
    let state = TestEnvironment::new();
    state.waits(&write_a_file());
    snapshot!(state.grants(&["pending", "--format", "text"]), @r#"
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

    --- stderr
    `overt grants show ID` shows all of a question, `overt grants allow ID` lets its call through (--session, --always), `overt grants deny ID` refuses it
    "#);
    snapshot!(state.grants(&["pending"]), @r#"
    exit 0
    --- stdout
    {"questions":[{"id":"q-1","principal":"local","client":"Claude Code 2.1","server":"files","project":"/home/me/site","tool":"write_file","scopes":["write:file:/home/me/notes/a.txt"],"wider":["write:file:/home/me/notes"],"asks":"call","reason":"nothing allows `write:file:/home/me/notes/a.txt` yet","intent":"Write 12 bytes to `/home/me/notes/a.txt`","arguments":"{\"path\":\"/home/me/notes/a.txt\"}","shown":{"intent":"Write 12 bytes to `/home/me/notes/a.txt`","reason":"nothing allows `write:file:/home/me/notes/a.txt` yet","client":"Claude Code 2.1","server":"files","title":null,"description":"Writes a file.","effect":"changes something, can be undone","arguments":["path \"/home/me/notes/a.txt\""],"arguments_json":"{\"path\":\"/home/me/notes/a.txt\"}","changes":null,"plan_failure":null,"reading_tools":[],"changing_tools":[]},"choices":[{"choice":"once","words":"yes, this call"},{"choice":"session","words":"yes, and `write_file` until this session ends"},{"choice":"folder","words":"yes, and `write_file` in the folder around it for 8 hours (write:file:/home/me/notes)"},{"choice":"8h","words":"yes, and `write_file` in this project for 8 hours"},{"choice":"always","words":"yes, and `write_file` in this project until I revoke it"},{"choice":"everywhere","words":"yes, and `write_file` in every project until I revoke it"},{"choice":"no","words":"no"},{"choice":"no-session","words":"no, and don't ask again in this session"},{"choice":"never","words":"no, and never ask again about `write_file` in this project"}],"asked":"[TIME]","waits_until":"[TIME]","until":"[TIME]","calls":1}]}
    "#);
}

#[test]
fn scp_09_a_question_that_no_call_waits_for_says_so() {
    let state = TestEnvironment::new();
    // (the question, what is printed)
    for (question, said) in [
        (write_a_file(), "ago, nobody waits any more; a yes holds for the same call made again, for "),
        (deceive(), "ago, asked through its client; a yes holds when that comes back, for "),
    ] {
        let id = state.waits(&question);
        state.store.leave(&id).unwrap();
        let shown = state.grants(&["pending", "--format", "text"]);
        assert!(shown.contains(said) && !shown.contains("100 min"), "Q-05: ten minutes: {shown}");
        let shown = state.grants(&["pending"]);
        assert!(shown.contains(r#""calls":0"#) && !shown.contains("waits_until"), "{shown}");
        state.taken(&id);
    }
}

#[test]
fn scp_08_what_others_say_cannot_act_on_the_terminal() {
    let state = TestEnvironment::new();
    state.waits(&deceive());
    snapshot!(state.grants(&["pending", "--format", "text"]), @r#"
    exit 0
    --- stdout
    q-1 asked [TIME] ago, the call waits 90 min more
      \u{1b}[2Jclient wants to run evil\u{1b}[2J of "s\u{a}erver" (files) in /tmp/\u{1b}[2J

      Nothing\u{a}\u{a}q-1 was approved by the administrator\u{202e}
        text "\u{9b}31m"
      Overt can't tell what it will change: \u{1b}c

      The tool: \u{9b}title: \u{7}
      Effect: the server says: \u{202e}.
      Why you are asked: a\u{d}b
      To see all of it: overt grants show q-1
      server     files
      needs      execute:files

    --- stderr
    `overt grants show ID` shows all of a question, `overt grants allow ID` lets its call through (--session, --always), `overt grants deny ID` refuses it
    "#);
}

#[test]
fn yes_is_for_one_call_unless_more_is_said() {
    let state = TestEnvironment::new();
    let id = state.waits(&write_a_file());
    snapshot!(state.grants(&["allow", "q-1", "--format", "text"]), @"
    exit 0
    --- stderr
    q-1: allowed `write:file:/home/me/notes/a.txt`, for one call
    ");
    let yes =
        |lifetime, breadth| Some(Answer::Yes { lifetime, extent: Extent::Project, breadth, expires: None });
    assert_eq!(state.taken(&id), yes(GrantLifetime::Once, Breadth::Call));
    let id = state.waits(&write_a_file());
    snapshot!(state.grants(&["allow", "q-2", "--session", "--wider"]), @r#"
    exit 0
    --- stdout
    {"question":"q-2","answer":"yes","lasts":"session","project":"/home/me/site","scopes":["write:file:/home/me/notes"]}
    "#);
    assert_eq!(state.taken(&id), yes(GrantLifetime::Session, Breadth::Folder));
    let id = state.waits(&write_a_file());
    snapshot!(state.grants(&["allow", "q-3", "--always", "--expires", "7d", "--format", "text"]), @"
    exit 0
    --- stderr
    q-3: allowed `write:file:/home/me/notes/a.txt` in /home/me/site, until revoked, at most until [TIME]
    ");
    let Some(Answer::Yes { lifetime: GrantLifetime::Always, expires: Some(end), .. }) = state.taken(&id)
    else {
        panic!("it was allowed");
    };
    assert!(end > Clock::default().now() + 6 * 86_400);
}

#[test]
fn no_is_for_one_call_or_for_the_session() {
    let state = TestEnvironment::new();
    let id = state.waits(&write_a_file());
    snapshot!(state.grants(&["deny", "q-1", "--format", "text"]), @"
    exit 0
    --- stderr
    q-1: refused
    ");
    assert_eq!(state.taken(&id), Some(Answer::No));
    state.waits(&write_a_file());
    snapshot!(state.grants(&["deny", "q-2", "--session"]), @r#"
    exit 0
    --- stdout
    {"question":"q-2","answer":"no","extent":"session"}
    "#);
    snapshot!(state.grants(&["allow", "q-2"]), @"
    exit 2
    --- stderr
    error: question `q-2` is not open: no call waits for an answer

    hint: `overt grants pending` shows what waits; a call that waited too long must be made again
    ");
    assert_eq!(state.store.ask(&write_a_file(), None).unwrap(), AskOutcome::Never);
}

/// A person who has looked at several questions answers them with one command, all or none of them.
#[test]
fn several_questions_have_one_answer() {
    let state = TestEnvironment::new();
    let ask = |arguments: &str| state.waits(&Question { arguments: arguments.to_owned(), ..write_a_file() });
    let (one, two, three) = (ask("1"), ask("2"), ask("3"));
    snapshot!(state.grants(&["allow", "q-1", "q-9"]), @"
    exit 2
    --- stderr
    error: question `q-9` is not open; these are: `q-1`, `q-2`, `q-3`

    hint: `overt grants pending` shows what waits; a call that waited too long must be made again
    ");
    assert_eq!(state.store.question_state(&one).unwrap(), QuestionState::Open, "all or none");
    snapshot!(state.grants(&["allow", "q-1", "q-2", "q-1", "--format", "text"]), @"
    exit 0
    --- stderr
    q-1: allowed `write:file:/home/me/notes/a.txt`, for one call
    q-2: allowed `write:file:/home/me/notes/a.txt`, for one call
    ");
    snapshot!(state.grants(&["deny", "q-3"]), @r#"
    exit 0
    --- stdout
    {"question":"q-3","answer":"no","extent":"call"}
    "#);
    for (id, is_yes) in [(one, true), (two, true), (three, false)] {
        assert_eq!(state.taken(&id).map(Answer::is_yes), Some(is_yes), "{id}");
    }
}

#[test]
fn mistakes_are_explained() {
    let state = TestEnvironment::new();
    state.waits(&write_a_file());
    state.waits(&deceive());
    snapshot!(state.grants(&["allow", "q-7"]), @"
    exit 2
    --- stderr
    error: question `q-7` is not open; these are: `q-1`, `q-2`

    hint: `overt grants pending` shows what waits; a call that waited too long must be made again
    ");
    snapshot!(state.grants(&["allow", "q-2", "--wider"]), @"
    exit 2
    --- stderr
    error: question `q-2` does not offer that much

    hint: `overt grants show q-2` says what it offers
    ");
    snapshot!(state.grants(&["allow", "q-2", "--session"]), @"
    exit 2
    --- stderr
    error: the client of question `q-2` has no session that could end

    hint: say `--once` or `--always`
    ");
    snapshot!(state.grants(&["allow"]), @"
    exit 2
    --- stderr
    error: the following required arguments were not provided:
      <ID|TOOL>...

    Usage: overt grants allow <ID>... [--once|--session|--always] [OPTIONS]
           overt grants allow <TOOL> [--server <SERVER>] [--for <TIME>] [OPTIONS]

    For more information, try '--help'.
    ");
    snapshot!(state.grants(&["allow", "--tool", "t", "--server", "s#0a1b2c3d", "--scope", "write:file:/a/../b", "--always"]), @"
    exit 2
    --- stderr
    error: `write:file:/a/../b` is not a scope
      caused by: `.` and `..` can't be components; write the path that is meant (at byte 14)

    hint: a scope is an action and what it is done to: `write:file:/home/me/notes`, or `write:SERVER:TOOL` for one tool
    ");
    snapshot!(state.grants(&["allow", "--tool", "t*", "--server", "s#0a1b2c3d", "--scope", "write:file:/a", "--always"]), @"
    exit 2
    --- stderr
    error: `t*` is a pattern, and a grant is for one tool, whose name is compared as it is

    hint: name the tool; `overt list` shows which there are
    ");
    snapshot!(state.grants(&["allow", "--tool", "t", "--server", "s#0a1b2c3d", "--scope", "write:file:/a", "--project", "/"]), @r#"
    exit 0
    --- stdout
    {"grant":{"id":"g-1","says":"allow","principal":"local","server":"s#0a1b2c3d","project":"/","tools":"one","tool":"t","scopes":["write:file:/a"],"lasts":"always","given":"[TIME]"}}
    --- stderr
    server `s#0a1b2c3d` has not run behind Overt yet, so its tools are not known: make sure that `t` is spelt right
    "#);
}

#[test]
fn scp_13_very_much_needs_a_word_more() {
    let state = TestEnvironment::new();
    for scope in ["write", "write:file", "write:file:/", "execute:files", "read:*"] {
        let mut arguments = vec![
            "allow",
            "--tool",
            "t",
            "--server",
            "s#0a1b2c3d",
            "--scope",
            "write:file:/a",
            "--scope",
            scope,
            "--always",
        ];
        let said = state.grants(&arguments);
        assert!(said.starts_with("exit 2\n--- stderr\nerror: `") && said.contains("--dangerous"), "{said}");
        arguments.push("--dangerous");
        state.grants(&arguments).succeeds();
    }
    state.waits(&deceive());
    snapshot!(state.grants(&["allow", "q-1", "--always"]), @"
    exit 2
    --- stderr
    error: `execute:files` is very much to allow until it is revoked

    hint: name a narrower scope, such as one folder; or say `--dangerous` if you mean it
    ");
    state.grants(&["allow", "q-1", "--once"]).succeeds();
}

#[test]
fn what_is_allowed_in_advance_holds_until_it_is_revoked() {
    let state = TestEnvironment::new();
    let allow = [
        "allow",
        "--server",
        "files#0a1b2c3d",
        "--tool",
        "write_file",
        "--scope",
        "write:file:/home/me",
        "--always",
        "--project",
        "/",
    ];
    snapshot!(state.grants(&allow), @r#"
    exit 0
    --- stdout
    {"grant":{"id":"g-1","says":"allow","principal":"local","server":"files#0a1b2c3d","project":"/","tools":"one","tool":"write_file","scopes":["write:file:/home/me"],"lasts":"always","given":"[TIME]"}}
    --- stderr
    server `files#0a1b2c3d` has not run behind Overt yet, so its tools are not known: make sure that `write_file` is spelt right
    "#);
    let covered = || {
        let (holder, wanted) = (holder(), scopes(&["write:file:/home/me/x"]));
        let need = Need {
            holder: &holder,
            server: "files#0a1b2c3d",
            project: Some("/"),
            tool: "write_file",
            tool_digest: "any",
            server_digest: "all",
            only_reads: false,
            scopes: &wanted,
            arguments: "any",
            plan: None,
            own_approval: false,
        };
        let tool = TrustedTool {
            server: TrustedServerKey {
                principal: need.holder.principal.clone(),
                server: need.server.to_owned(),
                project: need.project.map(str::to_owned),
            },
            tool: need.tool.to_owned(),
            digest: need.tool_digest.to_owned(),
        };
        let query = CandidateQuery {
            holder: need.holder.clone(),
            tool,
            wanted: vec![wanted.clone()],
            arguments: need.arguments.to_owned(),
            token: None,
        };
        state.store.candidates(&query).unwrap().covering(&need).is_some()
    };
    assert!(covered(), "in the running process");
    let terms = Terms {
        server: "files#0a1b2c3d".to_owned(),
        project: None,
        verdict: GrantVerdict::Allow,
        client: Some("Cursor 1.2".to_owned()),
        tools: GrantedTools::One("remove\u{1b}".to_owned()),
        tool_digest: None,
        scopes: scopes(&["write:file:/home/me/x", "write:file:/home/me/y"]),
        lifetime: GrantLifetime::Session,
        arguments: None,
        plan: None,
        expires: Some(Clock::default().now() + 60),
    };
    state.store.give(&giving(&holder(), terms)).unwrap();
    snapshot!(state.grants(&["list", "--format", "text"]), @r#"
    exit 0
    --- stdout
      ID   SERVER          TOOL          HOLDS                                            PROJECT  CLIENT      SINCE             SCOPES
      g-1  files#0a1b2c3d  write_file    until revoked                                    /        -           [TIME]  write:file:/home/me
      g-2  files#0a1b2c3d  remove\u{1b}  for the session, at most until [TIME]  none     Cursor 1.2  [TIME]  write:file:/home/me/x, write:file:/home/me/y
    "#);
    snapshot!(state.grants(&["list"]), @r#"
    exit 0
    --- stdout
    {"grants":[{"id":"g-1","says":"allow","principal":"local","server":"files#0a1b2c3d","project":"/","tools":"one","tool":"write_file","scopes":["write:file:/home/me"],"lasts":"always","given":"[TIME]"},{"id":"g-2","says":"allow","principal":"local","client":"Cursor 1.2","server":"files#0a1b2c3d","tools":"one","tool":"remove\u001b","scopes":["write:file:/home/me/x","write:file:/home/me/y"],"lasts":"session","given":"[TIME]","expires":"[TIME]"}]}
    "#);
    snapshot!(state.grants(&["revoke", "g-1", "g-9"]), @"
    exit 2
    --- stderr
    error: no grant `g-9`; the grants are `g-1`, `g-2`

    hint: `overt grants list` shows what is allowed
    ");
    assert!(covered(), "all or none");
    snapshot!(state.grants(&["revoke", "g-1", "--format", "text"]), @"
    exit 0
    --- stderr
    g-1 is revoked
    ");
    assert!(!covered());
    snapshot!(state.grants(&["revoke", "--all"]), @r#"
    exit 0
    --- stdout
    {"revoked":["g-2"]}
    "#);
    snapshot!(state.grants(&["list"]), @r#"
    exit 0
    --- stdout
    {"grants":[]}
    "#);
}

#[test]
fn questions_are_followed() {
    let state = TestEnvironment::new();
    assert!(!state.store.has_listener().unwrap());
    let mut command = state.command(&["grants", "pending", "--watch"]);
    let file = state.state().join("seen");
    command.stdout(std::fs::File::create(&file).unwrap()).stderr(std::process::Stdio::null());
    let mut watch = command.spawn().unwrap();
    let seen = || std::fs::read_to_string(&file).unwrap();
    wait_until("somebody watches", || state.store.has_listener().unwrap());
    let id = state.waits(&write_a_file());
    wait_until("the question is seen", || seen().contains("\"question\":{\"id\":\"q-1\""));
    state.closes(&id);
    wait_until("it is gone", || seen().ends_with("{\"closed\":\"q-1\"}\n"));
    watch.kill().unwrap();
    watch.wait().unwrap();
    assert!(!state.store.has_listener().unwrap(), "nobody watches any more");
}
