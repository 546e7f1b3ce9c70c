//! Tests of keys. An answer always applies to what the person saw.
use overt_layers::grants::{Broader, Holder, Question, QuestionDetails, QuestionKind};
use overt_policy::scope::Scope;
use overt_wire::Principal;

use super::*;

/// Returns a question that a client asks in a project.
pub(in super::super) fn open(number: u32, client: &str, project: &str, intent: &str) -> PendingQuestion {
    let scope = |text: &str| vec![Scope::parse(text).unwrap()];
    PendingQuestion {
        id: QuestionId(format!("q-{number}")),
        question: Question {
            holder: Holder::session(Principal::local(), format!("session of {client}")),
            server: "filesystem#1a2b3c4d".to_owned(),
            project: Some(project.to_owned()),
            tool: "edit_file".to_owned(),
            tool_digest: "definition".to_owned(),
            kind: QuestionKind::Call,
            scopes: scope("write:file:/home/ada/site/src/app.ts"),
            wider: scope("write:file:/home/ada/site/src"),
            broader: Broader { tool: true, server: true, reading: false, server_digest: "all".to_owned() },
            arguments: format!("digest {number}"),
            plan: None,
            shown: QuestionDetails {
                intent: intent.to_owned(),
                client: Some(client.to_owned()),
                server: "filesystem".to_owned(),
                reason:
                    "it needs `write:file:/home/ada/site/src/app.ts`, which is not allowed without asking"
                        .to_owned(),
                effect: "changes something, can be undone".to_owned(),
                arguments: vec!["path \"src/app.ts\"".to_owned()],
                arguments_json: "{\"path\":\"src/app.ts\"}".to_owned(),
                ..QuestionDetails::default()
            },
            until: 100_000,
        },
        asked: 1_000 + u64::from(number),
        answer: None,
        grant: None,
        is_unrecorded: false,
        waiting: 1,
    }
}

fn trust(number: u32) -> PendingQuestion {
    let mut open = open(number, "Cursor 1.2", "/home/ada/api", "call list_directory");
    open.question.kind = QuestionKind::Trust;
    open
}

fn three() -> Vec<PendingQuestion> {
    vec![
        open(1, "Claude Code 2.1", "/home/ada/site", "Edit src/app.ts"),
        open(2, "Cursor 1.2", "/home/ada/api", "Create an issue"),
        open(3, "Claude Code 2.1", "/home/ada/site", "Delete build"),
    ]
}

fn inbox(items: Vec<PendingQuestion>) -> Inbox {
    let mut inbox = Inbox::default();
    inbox.refresh(items, 0);
    inbox
}

fn names(ids: &[&str]) -> Vec<QuestionId> {
    ids.iter().map(|id| QuestionId((*id).to_owned())).collect()
}

fn answer(ids: &[&str], kind: AnswerKind) -> Option<Action> {
    Some(Action::Answer { ids: names(ids), reply: Reply::Call(kind) })
}

#[test]
fn questions_are_grouped_by_client_and_project() {
    let inbox = inbox(three());
    let order: Vec<&str> = inbox.items().iter().map(|open| open.id.0.as_str()).collect();
    assert_eq!(order, ["q-1", "q-3", "q-2"]);
    assert_eq!(inbox.selected().unwrap().id.0, "q-1");
}

#[test]
fn a_letter_answers_the_selected_question() {
    let mut inbox = inbox(three());
    let table = [
        ('y', AnswerKind::Once),
        ('s', AnswerKind::Session),
        ('t', AnswerKind::SessionTool),
        ('w', AnswerKind::SessionServer),
        ('f', AnswerKind::Folder),
        ('h', AnswerKind::Workday),
        ('p', AnswerKind::Project),
        ('n', AnswerKind::No),
        ('x', AnswerKind::NeverProject),
        ('X', AnswerKind::NoSession),
    ];
    for (letter, kind) in table {
        assert_eq!(inbox.press(Key::Char(letter), 0), answer(&["q-1"], kind), "{letter}");
    }
    // The first key is not offered for this question; the second is not a key.
    assert_eq!(inbox.press(Key::Char('r'), 0), None);
    assert!(inbox.message().contains("q-1 does not offer that"), "{}", inbox.message());
    assert_eq!(inbox.press(Key::Char('z'), 0), None);
    assert_eq!(inbox.press(Key::Down, 0), None);
    assert_eq!(inbox.press(Key::Char('n'), 0), answer(&["q-3"], AnswerKind::No));
}

#[test]
fn what_holds_everywhere_is_pressed_twice() {
    let mut inbox = inbox(three());
    assert_eq!(inbox.press(Key::Char('a'), 0), None);
    assert!(inbox.message().contains("press a again"));
    assert_eq!(inbox.press(Key::Char('a'), 0), answer(&["q-1"], AnswerKind::Everywhere));
    assert_eq!(inbox.press(Key::Char('a'), 0), None);
    // Another key in between cancels the confirmation.
    inbox.press(Key::Down, 0);
    assert_eq!(inbox.press(Key::Char('a'), 0), None);
}

#[test]
fn an_answer_applies_to_all_that_are_marked() {
    let mut inbox = inbox(three());
    inbox.press(Key::Char(' '), 0);
    inbox.press(Key::Down, 0);
    inbox.press(Key::Char(' '), 0);
    assert_eq!((inbox.marked(), inbox.is_marked(&names(&["q-2"])[0])), (2, true));
    assert_eq!(inbox.press(Key::Char('s'), 0), answer(&["q-1", "q-2"], AnswerKind::Session));
    inbox.answered(&names(&["q-1", "q-2"]));
    assert_eq!((inbox.items().len(), inbox.marked()), (1, 0));
    assert_eq!(inbox.selected().unwrap().id.0, "q-3");
    inbox.press(Key::Char('*'), 0);
    assert_eq!(inbox.marked(), 1);
    inbox.press(Key::Char('*'), 0);
    assert_eq!(inbox.marked(), 0);
}

#[test]
fn questions_about_trust_have_letters_of_their_own() {
    let mut inbox = inbox(vec![trust(7)]);
    let said = |trust| Some(Action::Answer { ids: names(&["q-7"]), reply: Reply::Trust(trust) });
    assert_eq!(inbox.press(Key::Char('c'), 0), said(overt_policy::Trust::Changes));
    assert_eq!(inbox.press(Key::Char('e'), 0), said(overt_policy::Trust::Everything));
    assert_eq!(inbox.press(Key::Char('o'), 0), said(overt_policy::Trust::Nothing));
    assert_eq!(inbox.press(Key::Char('l'), 0), said(overt_policy::Trust::Deletes));
    assert_eq!(inbox.press(Key::Char('s'), 0), None);
    assert_eq!(inbox.press(Key::Char('y'), 0), answer(&["q-7"], AnswerKind::Once));
    assert_eq!(inbox.press(Key::Char('n'), 0), answer(&["q-7"], AnswerKind::No));
    // If questions about trust and about calls are marked, only an answer that fits both is
    // accepted.
    let mut inbox = self::inbox(vec![trust(7), three().remove(0)]);
    inbox.press(Key::Char('*'), 0);
    inbox.press(Key::Down, 0);
    inbox.press(Key::Char('*'), 0);
    assert_eq!(inbox.marked(), 2);
    assert_eq!(inbox.press(Key::Char('s'), 0), None);
    assert_eq!(inbox.press(Key::Char('n'), 0), answer(&["q-1", "q-7"], AnswerKind::No));
}

/// A key for a question that disappears must not answer the next one.
#[test]
fn after_the_selection_moved_by_itself_the_person_looks_first() {
    let mut inbox = inbox(three());
    let mut rest = three();
    rest.remove(0);
    inbox.refresh(rest, 10_000);
    assert_eq!(inbox.selected().unwrap().id.0, "q-3");
    assert_eq!(inbox.press(Key::Char('y'), 10_100), None);
    assert!(inbox.message().contains("look at this one first"));
    assert_eq!(inbox.press(Key::Char('y'), 10_200), answer(&["q-3"], AnswerKind::Once));
    // New questions do not move the selection.
    inbox.refresh(three(), 20_000);
    assert_eq!(inbox.selected().unwrap().id.0, "q-3");
    assert_eq!(inbox.press(Key::Char('y'), 20_001), answer(&["q-3"], AnswerKind::Once));
}

#[test]
fn the_details_scroll_to_their_end_and_no_further() {
    let mut inbox = inbox(three());
    let text: String = (0..5_000).map(|line| format!("line {line}\n")).collect();
    inbox.set_details(names(&["q-1"])[0].clone(), text);
    inbox.visible_details(80, 10);
    inbox.press(Key::Tab, 0);
    assert_eq!(inbox.focus(), Focus::Details);
    inbox.press(Key::PageDown, 0);
    assert_eq!(inbox.visible_details(80, 10).0, 10);
    inbox.press(Key::End, 0);
    let (first, many, rows) = inbox.visible_details(80, 10);
    assert_eq!((first, many, rows.last().unwrap().text.as_str()), (4_990, 5_000, "line 4999"));
    inbox.press(Key::PageDown, 0);
    assert_eq!(inbox.visible_details(80, 10).0, 4_990);
    // A larger window shows more of the end.
    assert_eq!(inbox.visible_details(80, 100).0, 4_900);
    inbox.press(Key::Home, 0);
    assert_eq!(inbox.visible_details(80, 10).0, 0);
    inbox.press(Key::Escape, 0);
    assert_eq!(inbox.focus(), Focus::List);
}

#[test]
fn help_goes_with_the_next_key_and_q_leaves() {
    let mut inbox = inbox(three());
    inbox.press(Key::Char('?'), 0);
    assert!(inbox.is_help());
    assert_eq!(inbox.press(Key::Char('y'), 0), None, "a key that closes the help answers nothing");
    assert!(!inbox.is_help());
    assert_eq!(inbox.press(Key::Char('u'), 0), Some(Action::TakeBack));
    assert_eq!(inbox.press(Key::Char('q'), 0), Some(Action::Leave));
    assert_eq!(inbox.press(Key::Stop, 0), Some(Action::Leave));
}

/// Compares the inbox with a simple model. Whatever happens, an answer names open questions that
/// were selected or marked, and the selection is one of the questions.
#[test]
fn answers_are_to_open_questions_whatever_happens() {
    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};
    let keys = prop_oneof![
        Just(Key::Char('y')),
        Just(Key::Char('n')),
        Just(Key::Char('a')),
        Just(Key::Char(' ')),
        Just(Key::Char('*')),
        Just(Key::Up),
        Just(Key::Down),
        Just(Key::Tab),
        Just(Key::End),
        Just(Key::PageDown),
        Just(Key::Escape),
        Just(Key::Char('?')),
    ];
    let step = prop_oneof![
        3 => keys.prop_map(Ok),
        1 => prop::collection::btree_set(0..8u32, 0..8).prop_map(Err),
    ];
    let mut runner = TestRunner::new(Config { cases: 200, ..Config::default() });
    let steps = prop::collection::vec(step, 1..60);
    let result = runner.run(&steps, |steps| {
        let mut inbox = Inbox::default();
        let (mut there, mut marked) = (BTreeSet::new(), BTreeSet::<QuestionId>::new());
        for (now, step) in steps.into_iter().enumerate() {
            let now = now as u64 * 1_000;
            match step {
                Err(numbers) => {
                    let client = |number: u32| if number.is_multiple_of(2) { "even" } else { "odd" };
                    let items = numbers.iter().map(|n| open(*n, client(*n), "/p", "i")).collect();
                    let new = inbox.refresh(items, now);
                    let added: BTreeSet<u32> = numbers.difference(&there).copied().collect();
                    prop_assert_eq!(new.len(), added.len());
                    there = numbers;
                }
                Ok(key) => {
                    let selected = inbox.selected().map(|open| open.id.clone());
                    if let Some(Action::Answer { ids, .. }) = inbox.press(key, now) {
                        let expected = match marked.is_empty() {
                            true => selected.into_iter().collect::<BTreeSet<_>>(),
                            false => marked.clone(),
                        };
                        prop_assert_eq!(ids.iter().cloned().collect::<BTreeSet<_>>(), expected);
                        inbox.answered(&ids);
                        there.retain(|number| !ids.contains(&QuestionId(format!("q-{number}"))));
                    }
                }
            }
            marked =
                inbox.items().iter().map(|open| open.id.clone()).filter(|id| inbox.is_marked(id)).collect();
            prop_assert_eq!(marked.len(), inbox.marked());
            prop_assert_eq!(inbox.items().len(), there.len());
            prop_assert_eq!(inbox.selected().is_some(), !there.is_empty());
        }
        Ok(())
    });
    result.unwrap();
}
