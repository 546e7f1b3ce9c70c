//! Tests what counts as an answer, and the text of a question.
use super::*;
use crate::grants::{Broader, Holder, HolderClient};
use crate::person::{GiveAnswer, Reach};
use overt_wire::Principal;

fn question(session: &str, scopes: &[&str], wider: &[&str]) -> Question {
    let parsed = |texts: &[&str]| texts.iter().map(|text| Scope::parse(text).unwrap()).collect();
    Question {
        holder: Holder { principal: Principal::local(), client: HolderClient::from_text(session.to_owned()) },
        server: "files".to_owned(),
        project: Some("/home/ada/site".to_owned()),
        tool: "write".to_owned(),
        tool_digest: String::new(),
        kind: QuestionKind::Call,
        scopes: parsed(scopes),
        wider: parsed(wider),
        broader: Broader::default(),
        arguments: String::new(),
        plan: None,
        shown: QuestionDetails::default(),
        until: 0,
    }
}

#[test]
fn scp_13_only_what_was_offered_is_an_answer() {
    let (file, folder) = ("write:file:/a/b", "write:file:/a");
    let lasting = ["8h", "always", "8h wide", "always wide"];
    // (session, scopes, wider, answers that are a yes)
    let cases: [(&str, &str, &[&str], &[&str]); 5] = [
        (
            "s",
            file,
            &[folder],
            &["once", "session", "8h", "always", "once wide", "session wide", "8h wide", "always wide"],
        ),
        ("s", file, &["write:file"], &["once", "session", "8h", "always"]),
        ("s", "write:file", &[], &["once", "session"]),
        ("", file, &[folder], &["once", "once wide"]),
        ("client x", "write", &[], &["once"]),
    ];
    let both = cases.into_iter().flat_map(|case| [(Some("/home/ada/site"), case), (None, case)]);
    for (project, (session, scope, wider, yes)) in both {
        let project = project.map(str::to_owned);
        // Without a project, no lasting answer is offered: it would apply everywhere.
        let is_offered = |said: &&&str| project.is_some() || !lasting.contains(said);
        let yes: Vec<&str> = yes.iter().filter(is_offered).copied().collect();
        let question = Question { project, ..question(session, &[scope], wider) };
        for lifetime in ["once", "session", "8h", "always"] {
            for extent in ["", " wide"] {
                let said = format!("{lifetime}{extent}");
                let content = json!({ "decision": lifetime, "extent": extent.trim() });
                let result = JsonBuf::from(&json!({ "action": "accept", "content": content }));
                let DialogAnswer::Answer(answer) = answer(result.as_json(), &question, 1_000) else {
                    panic!("{said}")
                };
                assert_eq!(answer.is_yes(), yes.contains(&said.as_str()), "{scope} {wider:?} {said}");
                let id = QuestionId("q-1".to_owned());
                let given = GiveAnswer::in_dialog(id, question.clone(), answer, None);
                assert!(given.answer.reach() <= Reach::Session, "V-01: {said}");
                assert_eq!(given.proposes.is_some(), answer.is_yes() && lasting.contains(&said.as_str()));
                let answer = given.answer;
                let terms = answer.terms(&question);
                assert_eq!(terms.is_some(), answer.is_yes());
                let Some(terms) = terms else { continue };
                assert_eq!(terms.project, question.project, "a dialog never says everywhere");
                assert_eq!(terms.expires, None);
            }
        }
    }
}

#[test]
fn an_answer_to_trust_is_a_level_or_a_no() {
    let question = Question { kind: QuestionKind::Trust, ..question("s", &["execute:memory:read"], &[]) };
    let said = |content: Value| {
        let result = JsonBuf::from(&json!({ "action": "accept", "content": content }));
        answer(result.as_json(), &question, 0)
    };
    for trust in Trust::ALL {
        let answer = said(json!({"trust": trust.as_str()}));
        assert_eq!(answer, DialogAnswer::Answer(Answer::Trust(*trust)));
        let id = QuestionId("q-1".to_owned());
        let given = GiveAnswer::in_dialog(id, question.clone(), Answer::Trust(*trust), None);
        assert_eq!(given.answer, Answer::TrustThisSession(*trust), "V-02");
    }
    assert_eq!(said(json!({"trust": "once"})), DialogAnswer::Answer(Answer::ONCE));
    assert_eq!(said(json!({"trust": "no-session"})), DialogAnswer::Answer(Answer::NoThisSession));
    for no in [json!({"trust": "no"}), json!({"trust": true}), json!({"trust": "never"})] {
        assert_eq!(said(no), DialogAnswer::Answer(Answer::No));
    }
    for nobody in [json!({}), json!({"decision": "always"}), json!({"trust": null}), json!([])] {
        assert_eq!(said(nobody), DialogAnswer::Unasked);
    }
}

/// A client that accepts without asking the person omits the field that has no default.
#[test]
fn an_answer_without_the_required_field_is_nobodys() {
    let question = question("s", &["write:file:/a/b"], &["write:file:/a"]);
    let said = |result: Value| answer(JsonBuf::from(&result).as_json(), &question, 0);
    for nobody in [
        json!({ "action": "accept" }),
        json!({ "action": "accept", "content": {} }),
        json!({ "action": "accept", "content": { "extent": "wide" } }),
        json!({ "action": "accept", "content": { "decision": null } }),
    ] {
        assert_eq!(said(nobody), DialogAnswer::Unasked);
    }
    assert_eq!(said(json!({ "action": "decline" })), DialogAnswer::Answer(Answer::No));
    for closed in [json!({ "action": "cancel" }), json!({})] {
        assert_eq!(said(closed), DialogAnswer::Cancelled);
        assert_eq!(DialogAnswer::Cancelled.counted(false), Ok(Answer::No));
        assert_eq!(DialogAnswer::Cancelled.counted(true), Err(Uncounted::Quick));
    }
}

#[test]
fn a_dialog_offers_the_wider_choices_and_never_everywhere() {
    let broader = Broader { tool: true, server: true, reading: false, server_digest: "all".to_owned() };
    let question = Question { broader, ..question("s", &["write:file:/a/b"], &["write:file:/a"]) };
    let form: Value = form(&question, &QuestionId("q-1".to_owned())).as_json().read().unwrap();
    let words = &form["requestedSchema"]["properties"]["decision"]["enum"];
    let offered = json!([
        "once",
        "session",
        "session-tool",
        "session-server",
        "8h",
        "always",
        "no",
        "no-session",
        "never"
    ]);
    assert_eq!(*words, offered);
    for word in ["folder", "everywhere", "session-reads"] {
        let result = json!({ "action": "accept", "content": { "decision": word } });
        let said = answer(JsonBuf::from(&result).as_json(), &question, 0);
        assert_eq!(said, DialogAnswer::Answer(Answer::No), "{word}");
    }
}

/// DESIGN 5.16: an answer counts only if it has the required field, which has no default.
#[test]
fn no_choice_has_a_default() {
    for kind in [QuestionKind::Call, QuestionKind::Trust] {
        let question = Question { kind, ..question("s", &["write:file:/a/b"], &["write:file:/a"]) };
        let form: Value = form(&question, &QuestionId("q-1".to_owned())).as_json().read().unwrap();
        let properties = form["requestedSchema"]["properties"].as_object().unwrap();
        assert!(properties.values().all(|choice| choice.get("default").is_none()), "{form}");
        assert_eq!(form["requestedSchema"]["required"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn a_04_a_question_shows_the_changes_and_where_to_see_all_of_them() {
    let changes = PlanSummary {
        changed: 1,
        deleted: 2,
        changes: vec!["src/app.ts +4 -3".to_owned(), "delete build/ (312 files)".to_owned()],
        diff: "-old\n+new".to_owned(),
        ..PlanSummary::default()
    };
    let shown = QuestionDetails {
        intent: "Delete \"build\"".to_owned(),
        client: Some("Claude Code 2.1".to_owned()),
        server: "overt-files".to_owned(),
        effect: "destroys something, can be undone".to_owned(),
        reason: "it is declared so".to_owned(),
        changes: Some(changes),
        ..QuestionDetails::default()
    };
    let question = Question { shown, ..question("s", &["write:file:/a/b"], &[]) };
    let text = question.to_text(&QuestionId("q-7".to_owned()));
    let wanted = "\
Claude Code 2.1 wants to run write of \"overt-files\" (files) in /home/ada/site

Delete \"build\"

1 changed, 2 deleted:
  src/app.ts +4 -3
  delete build/ (312 files)
  … and 1 more

-old
+new

Effect: destroys something, can be undone.
Why you are asked: it is declared so
To see all of it: overt grants show q-7 --open";
    assert_eq!(text, wanted);
}

/// H-37: without a template, the arguments are shown once, and the server's statements are shown as
/// its claims.
#[test]
fn h_37_the_arguments_are_shown_once() {
    let shown = QuestionDetails {
        intent: "call create_issue with title=\"Login fails\"".to_owned(),
        intent_is_generic: true,
        client: Some("Claude Code 2.1".to_owned()),
        server: "github-mcp-server".to_owned(),
        title: Some("Create an issue".to_owned()),
        description: Some("Creates an issue in a repository.".to_owned()),
        effect: "the server says: destructive. Overt can't preview this server's changes".to_owned(),
        reason: "nothing allows it yet".to_owned(),
        arguments: vec!["title: \"Login fails\"".to_owned()],
        ..QuestionDetails::default()
    };
    let asked = Question {
        shown,
        server: "index#b453d63c".to_owned(),
        tool: "create_issue".to_owned(),
        ..question("s", &["execute:github"], &[])
    };
    let wanted = "\
Claude Code 2.1 wants to run create_issue of \"github-mcp-server\" (index) in /home/ada/site

Arguments:
  title: \"Login fails\"

The tool: Create an issue: Creates an issue in a repository.
Effect: the server says: destructive. Overt can't preview this server's changes.
Why you are asked: nothing allows it yet
To see all of it: overt grants show q-7";
    assert_eq!(asked.to_text(&QuestionId("q-7".to_owned())), wanted);
    let bare = QuestionDetails { arguments: Vec::new(), ..asked.shown.clone() };
    let text = Question { shown: bare, ..asked }.to_text(&QuestionId("q-7".to_owned()));
    assert!(text.contains("\n\nIt has no arguments.\n\n"), "{text}");
}

#[test]
fn long_diffs_and_lines_are_cut_in_the_middle() {
    let long: Vec<String> = (0..100).map(|number| format!("line {number}")).collect();
    let cut_diff = middle_cut(&long.join("\n"), 10);
    assert!(cut_diff.starts_with("line 0\n") && cut_diff.ends_with("line 99"), "{cut_diff}");
    assert!(cut_diff.contains("… 90 more lines …"));
    let line = cut(&"x".repeat(1000));
    assert!(line.contains('…') && line.chars().count() <= LONGEST_LINE + 1);
}
