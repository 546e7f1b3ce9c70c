//! Tests of forms, filled in by a scripted person.
use std::collections::VecDeque;
use std::sync::Mutex;

use super::*;

/// Types lines from a script and records what is shown.
struct Scripted {
    answers: Mutex<VecDeque<String>>,
    heard: Mutex<String>,
}

impl Person for Scripted {
    fn say(&self, text: &str) {
        self.heard.lock().unwrap().push_str(text);
    }

    fn answer(&self) -> BoxFuture<'_, Option<String>> {
        let next = self.answers.lock().unwrap().pop_front();
        Box::pin(async { next })
    }

    fn considered_answer(&self) -> BoxFuture<'_, Option<String>> {
        self.answer()
    }
}

const PARAMS: &str = r#"{"params":{"message":"Who?\u001b[2J","requestedSchema":{"type":"object","properties":{
        "name":{"type":"string","title":"Name","minLength":2},
        "age":{"type":"integer","minimum":18},
        "color":{"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}],"default":"g"},
        "pets":{"type":"array","items":{"type":"string","enum":["cat","dog","1"]},"maxItems":2},
        "ok":{"type":"boolean"}},"required":["name","ok"]}}}"#;

fn play(answers: &[&str]) -> (Answer, String) {
    play_form(PARAMS, answers)
}

fn play_form(params: &str, answers: &[&str]) -> (Answer, String) {
    let params = JsonBuf::parse(params).unwrap();
    let answers = answers.iter().map(|&line| format!("{line}\n")).collect();
    let person = Scripted { answers: Mutex::new(answers), heard: Mutex::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let answer = runtime.block_on(elicit(&person, "npx server", params.as_json().get("params")));
    (answer, person.heard.into_inner().unwrap())
}

fn accepted(content: &str) -> Answer {
    Answer::Accept(JsonBuf::parse(content).unwrap())
}

#[test]
fn every_field_is_asked_and_shown_before_it_is_sent() {
    let (answer, heard) = play(&["Ada", "36", "red", "dog, 1", "true", "s"]);
    assert_eq!(answer, accepted(r#"{"name":"Ada","age":36,"color":"r","pets":["dog","1"],"ok":true}"#));
    assert!(heard.starts_with("\n`npx server` asks:\n\n  Who?\\u{1b}[2J\n"), "{heard}");
    assert!(heard.contains("1) r  Red") && heard.contains("This will be sent:"), "{heard}");
}

#[test]
fn defaults_skips_and_mistakes() {
    let (answer, heard) = play(&[
        "A",
        "Al",
        "seventeen",
        "17",
        "",
        "",
        "2",
        "maybe",
        "no",
        "e",
        "Bo",
        "",
        "1",
        "",
        "true",
        "y",
    ]);
    assert_eq!(answer, accepted(r#"{"name":"Bo","color":"r","ok":true}"#));
    for said in ["at least 2", "expected an integer", "at least 18", "expected `true` or `false`"] {
        assert!(heard.contains(said), "{said}: {heard}");
    }
}

/// The form of an approval question.
const APPROVAL: &str = r#"{"params":{"message":"Allow?","requestedSchema":{"type":"object","properties":{
        "decision":{"type":"string","title":"Allow it?","oneOf":[{"const":"once","title":"yes, this call"},
        {"const":"always","title":"yes, always"},{"const":"no","title":"no"},{"const":"never","title":"no, and never"}]}},
        "required":["decision"]}}}"#;

#[test]
fn u_06_a_further_choice_may_stand_behind_the_answer() {
    let wider = r#","extent":{"type":"string","title":"How far?","oneOf":[{"const":"narrow","title":"only this"},
            {"const":"wide","title":"the folder"}]}},"required""#;
    let form = APPROVAL.replace("},\n        \"required\"", wider);
    assert!(form.contains("extent"), "{form}");
    for (typed, content) in [
        ("y", r#"{"decision":"once"}"#),
        ("always wide", r#"{"decision":"always","extent":"wide"}"#),
        ("2 narrow", r#"{"decision":"always","extent":"narrow"}"#),
        ("yes, always", r#"{"decision":"always"}"#),
    ] {
        let (answer, heard) = play_form(&form, &[typed]);
        assert_eq!(answer, accepted(content), "{typed}");
        assert!(heard.contains("wide  the folder") && heard.matches("> ").count() == 1, "{heard}");
    }
    assert!(play_form(&form, &["y far", "n"]).1.contains("`far` is none of the choices"));
}

#[test]
fn u_06_a_yes_or_no_is_one_question_and_one_letter() {
    for (typed, decision) in
        [("y", "once"), ("Yes", "once"), ("n", "no"), ("2", "always"), ("always", "always"), ("4", "never")]
    {
        let (answer, heard) = play_form(APPROVAL, &[typed]);
        assert_eq!(answer, accepted(&format!(r#"{{"decision":"{decision}"}}"#)), "{typed}");
        assert_eq!(heard.matches("> ").count(), 1, "{heard}");
        assert!(!heard.contains("sent") && !heard.contains("/decline"), "{heard}");
    }
    assert_eq!(play_form(APPROVAL, &[""]).0, Answer::Decline);
    assert!(play_form(APPROVAL, &["perhaps", "n"]).1.contains("is none of the choices"));
}

#[test]
fn u_06_a_question_without_fields_takes_y_and_n() {
    let form = r#"{"params":{"message":"Go on?"}}"#;
    assert_eq!(play_form(form, &["y"]).0, accepted("{}"));
    for typed in ["n", "no", ""] {
        assert_eq!(play_form(form, &[typed]).0, Answer::Decline);
    }
}

#[test]
fn declining_in_every_way() {
    for answers in [
        &[""][..],
        &["/decline"],
        &["Ada", "/decline"],
        &[],
        &["Ada", "", "", "", "true", ""],
        &["Ada", "", "", "", "true", "d"],
    ] {
        assert_eq!(play(answers).0, Answer::Decline, "{answers:?}");
    }
}
