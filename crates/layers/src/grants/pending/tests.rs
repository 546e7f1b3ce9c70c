//! Tests that each question is asked once, that questions are limited, and that each is answered
//! once.
use super::super::{
    Breadth, Broader, Extent, GrantLifetime, Holder, HolderClient, QuestionDetails, QuestionKind,
};
use super::*;
use overt_policy::scope::Scope;
use overt_wire::Principal;

fn holder(session: &str) -> Holder {
    let client = HolderClient::from_text(session.to_owned());
    Holder { principal: Principal::token_holder(session), client }
}

fn question(session: &str, tool: &str) -> Question {
    Question {
        holder: holder(session),
        server: "files".to_owned(),
        project: Some("/site".to_owned()),
        tool: tool.to_owned(),
        tool_digest: String::new(),
        kind: QuestionKind::Call,
        scopes: vec![Scope::parse("write:file:/a").unwrap()],
        wider: Vec::new(),
        broader: Broader::default(),
        arguments: "digest".to_owned(),
        plan: None,
        shown: QuestionDetails::default(),
        until: 100,
    }
}

fn ask(pending: &mut PendingApprovals, pace: &mut Pace, question: &Question, now: u64) -> AskOutcome {
    let next =
        pending.open.iter().filter_map(|open| open.id.0[2..].parse::<u32>().ok()).max().unwrap_or(0) + 1;
    pending.ask(question, pace, now, || QuestionId(format!("q-{next}")))
}

fn open(pending: &mut PendingApprovals, question: &Question) -> QuestionId {
    match ask(pending, &mut Pace::default(), question, 10) {
        AskOutcome::Open(id) => id,
        other => panic!("{other:?}"),
    }
}

fn yes(lifetime: GrantLifetime) -> Answer {
    Answer::Yes { lifetime, extent: Extent::Project, breadth: Breadth::Call, expires: None }
}

#[test]
fn scp_10_the_same_question_is_asked_once() {
    let mut pending = PendingApprovals::default();
    let first = open(&mut pending, &question("s", "write"));
    let later = Question { until: 200, ..question("s", "write") };
    assert_eq!(open(&mut pending, &later), first);
    assert_eq!((pending.open.len(), pending.open[0].waiting, pending.open[0].question.until), (1, 2, 200));
    let others = [
        question("t", "write"),
        question("s", "remove"),
        Question { arguments: "others".to_owned(), ..question("s", "write") },
        Question { server: "other".to_owned(), ..question("s", "write") },
        Question { plan: Some("another plan".to_owned()), ..question("s", "write") },
        Question { tool_digest: "redefined".to_owned(), ..question("s", "write") },
        Question { kind: QuestionKind::Trust, ..question("s", "write") },
        Question { scopes: vec![Scope::parse("write").unwrap()], ..question("s", "write") },
    ];
    for other in others {
        assert_ne!(open(&mut pending, &other), first);
    }
}

#[test]
fn scp_10_a_flood_of_questions_is_bounded() {
    let (mut pending, mut pace) = (PendingApprovals::default(), Pace::default());
    let mut open = 0;
    for number in 0..10_000 {
        let asked = ask(&mut pending, &mut pace, &question("s", &format!("tool{number}")), 10);
        open += usize::from(matches!(asked, AskOutcome::Open(_)));
    }
    assert_eq!(
        (open, pending.open.len()),
        (PendingApprovals::MOST_OPEN_PER_SESSION, PendingApprovals::MOST_OPEN_PER_SESSION)
    );
    for number in 0..10_000 {
        ask(&mut pending, &mut pace, &question(&format!("s{number}"), "tool"), 10);
    }
    assert_eq!(pending.open.len(), PendingApprovals::MOST_OPEN);
    assert!(pace.full.len() <= MOST_PRINCIPALS);
}

#[test]
fn scp_10_who_asks_too_fast_waits() {
    let (mut pending, mut pace) = (PendingApprovals::default(), Pace::default());
    let mut count = |now: u64, pending: &mut PendingApprovals| {
        (0..200)
            .filter(|number| {
                let asked = ask(pending, &mut pace, &question("s", &format!("tool{number}")), now);
                pending.session_ended(&holder("s"));
                matches!(asked, AskOutcome::Open(_))
            })
            .count()
    };
    assert_eq!(count(10, &mut pending), BURST as usize);
    assert_eq!(count(11, &mut pending), 0);
    assert_eq!(count(20, &mut pending), 5);
    assert_eq!(count(10_000, &mut pending), BURST as usize);
}

#[test]
fn scp_10_a_session_that_was_told_never_does_not_ask_again() {
    let mut pending = PendingApprovals::default();
    let (first, second) =
        (open(&mut pending, &question("s", "write")), open(&mut pending, &question("s", "remove")));
    let other = open(&mut pending, &question("t", "write"));
    assert_eq!(pending.decide(&first, Answer::NoThisSession, 11), AnswerOutcome::Taken);
    assert_eq!(pending.state(&second, 11), QuestionState::Answered(Answer::NoThisSession));
    assert_eq!(pending.state(&other, 11), QuestionState::Open);
    assert_eq!(pending.close(&second, None, 11), Some(Answer::NoThisSession));
    assert_eq!(ask(&mut pending, &mut Pace::default(), &question("s", "x"), 12), AskOutcome::Never);
    pending.session_ended(&holder("s"));
    open(&mut pending, &question("s", "x"));
}

#[test]
fn scp_09_the_first_answer_counts_and_a_no_wins_a_tie() {
    let cases = [
        (None, None, None),
        (Some(yes(GrantLifetime::Once)), None, Some(yes(GrantLifetime::Once))),
        (None, Some(yes(GrantLifetime::Always)), Some(yes(GrantLifetime::Always))),
        (Some(yes(GrantLifetime::Once)), Some(yes(GrantLifetime::Always)), Some(yes(GrantLifetime::Once))),
        (Some(Answer::No), Some(yes(GrantLifetime::Always)), Some(Answer::No)),
        (Some(yes(GrantLifetime::Always)), Some(Answer::No), Some(Answer::No)),
        (Some(yes(GrantLifetime::Once)), Some(Answer::NoThisSession), Some(Answer::NoThisSession)),
    ];
    for (elsewhere, here, counts) in cases {
        let mut pending = PendingApprovals::default();
        let id = open(&mut pending, &question("s", "write"));
        if let Some(answer) = elsewhere {
            assert_eq!(pending.decide(&id, answer, 11), AnswerOutcome::Taken);
        }
        assert_eq!(pending.close(&id, here, 12), counts, "{elsewhere:?} {here:?}");
        assert_eq!(pending.close(&id, Some(yes(GrantLifetime::Always)), 12), None, "it is closed");
    }
    let mut pending = PendingApprovals::default();
    let id = open(&mut pending, &question("s", "write"));
    assert_eq!(pending.decide(&id, yes(GrantLifetime::Session), 11), AnswerOutcome::Taken);
    assert_eq!(
        pending.decide(&id, yes(GrantLifetime::Always), 11),
        AnswerOutcome::Before(yes(GrantLifetime::Session))
    );
    assert_eq!(pending.decide(&id, Answer::No, 11), AnswerOutcome::Taken);
    assert_eq!(pending.decide(&id, yes(GrantLifetime::Always), 11), AnswerOutcome::Before(Answer::No));
}

#[test]
fn scp_04_a_yes_for_one_call_is_taken_by_one_call() {
    let mut pending = PendingApprovals::default();
    let id = open(&mut pending, &question("s", "write"));
    open(&mut pending, &question("s", "write"));
    pending.decide(&id, yes(GrantLifetime::Once), 11);
    assert_eq!(pending.close(&id, None, 11), Some(yes(GrantLifetime::Once)));
    assert_eq!(pending.state(&id, 11), QuestionState::Open);
    assert_eq!(pending.pending(11).len(), 1, "the other call still waits");
    assert_eq!(pending.close(&id, None, 11), None);
    assert!(pending.open.is_empty());
}

#[test]
fn scp_09_nobody_waits_for_ever() {
    let mut pending = PendingApprovals::default();
    let id = open(&mut pending, &Question { until: u64::MAX, ..question("s", "write") });
    assert_eq!(pending.open[0].question.until, 10 + PendingApprovals::LONGEST_WAIT);
    pending.close(&id, None, 11);
    let id = open(&mut pending, &question("s", "write"));
    assert_eq!(pending.decide(&id, yes(GrantLifetime::Once), 100), AnswerOutcome::Gone);
    let id = open(&mut pending, &question("s", "write"));
    pending.decide(&id, yes(GrantLifetime::Once), 99);
    assert_eq!(pending.close(&id, None, 101), Some(yes(GrantLifetime::Once)), "it came in time");
    let id = open(&mut pending, &question("s", "write"));
    pending.decide(&id, yes(GrantLifetime::Once), 99);
    assert_eq!(pending.close(&id, None, 100 + PendingApprovals::GRACE), None);
}

#[test]
fn what_was_left_is_answered_when_the_call_is_tried_again() {
    let mut pending = PendingApprovals::default();
    let id = open(&mut pending, &question("s", "write"));
    pending.leave(&id);
    assert_eq!(pending.pending(11).len(), 1);
    assert_eq!(pending.decide(&id, yes(GrantLifetime::Once), 11), AnswerOutcome::Taken);
    assert_eq!(open(&mut pending, &question("s", "write")), id);
    assert_eq!(pending.close(&id, None, 12), Some(yes(GrantLifetime::Once)));
    assert!(pending.open.is_empty(), "nobody else waits");
}

#[test]
fn scp_09_what_nobody_waits_for_makes_room() {
    let (mut pending, mut pace) = (PendingApprovals::default(), Pace::default());
    for number in 0..2 * PendingApprovals::MOST_OPEN_PER_SESSION {
        let now = 10 + 2 * number as u64;
        let question = Question { until: 10_000, ..question("s", &format!("tool{number}")) };
        let asked = ask(&mut pending, &mut pace, &question, now);
        let AskOutcome::Open(id) = asked else { panic!("{number}: {asked:?}") };
        pending.leave(&id);
    }
    assert_eq!(pending.open.len(), PendingApprovals::MOST_OPEN_PER_SESSION);
    assert_eq!(
        pending.open[0].question.tool,
        format!("tool{}", PendingApprovals::MOST_OPEN_PER_SESSION),
        "the oldest go"
    );
}

#[test]
fn scp_10_not_too_many_wait_for_the_same_answer() {
    let (mut pending, mut pace) = (PendingApprovals::default(), Pace::default());
    for _ in 0..PendingApprovals::MOST_WAITING {
        assert!(matches!(ask(&mut pending, &mut pace, &question("s", "write"), 10), AskOutcome::Open(_)));
    }
    assert_eq!(ask(&mut pending, &mut pace, &question("s", "write"), 10), AskOutcome::TooMany);
}

#[test]
fn scp_12_who_has_no_session_can_say_nothing_about_it() {
    for session in ["", "client x"] {
        let mut pending = PendingApprovals::default();
        let id = open(&mut pending, &question(session, "write"));
        assert_eq!(pending.close(&id, Some(Answer::NoThisSession), 11), Some(Answer::No));
        let id = open(&mut pending, &question(session, "write"));
        assert_eq!(pending.decide(&id, yes(GrantLifetime::Session), 11), AnswerOutcome::Taken);
        assert_eq!(pending.close(&id, None, 11), Some(Answer::No));
        assert!(pending.never.is_empty());
        assert_eq!(yes(GrantLifetime::Session).terms(&question(session, "write")), None);
    }
}

#[test]
fn scp_05_the_wider_choice_lets_the_call_through_too() {
    let scopes = |texts: &[&str]| texts.iter().map(|text| Scope::parse(text).unwrap()).collect::<Vec<_>>();
    let question = Question {
        scopes: scopes(&["write:file:/a/b", "write:mail:x"]),
        wider: scopes(&["write:file:/a"]),
        broader: Broader::default(),
        ..question("s", "write")
    };
    let wide = Answer::Yes {
        lifetime: GrantLifetime::Session,
        extent: Extent::Project,
        breadth: Breadth::Folder,
        expires: None,
    };
    assert_eq!(wide.terms(&question).unwrap().scopes, scopes(&["write:file:/a", "write:mail:x"]));
}
