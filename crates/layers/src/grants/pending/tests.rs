//! Tests that each question is asked once, that questions are limited, and that each is answered
//! once.
use super::super::{
    AnswerEffects, Breadth, Broader, DecidedAnswer, Extent, Grant, GrantLifetime, Holder, HolderClient,
    QuestionDetails, QuestionKind,
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
    pending.ask(question, pace, now, |open| open.grant.is_some(), || QuestionId(format!("q-{next}")))
}

/// Answers a question as a store does, whose grants are all live.
fn decide(
    pending: &mut PendingApprovals,
    id: &QuestionId,
    answer: Answer,
    now: u64,
) -> Option<DecidedAnswer> {
    let mut open = pending.answerable(id, now)?.clone();
    let decided = open.decide(answer, |_| true);
    if let DecidedAnswer::Taken(effects) = &decided {
        let grant = effects.give.clone().map(|terms| Grant {
            id: GrantId("g-1".to_owned()),
            holder: open.question.holder.clone(),
            terms,
            issued_at: now,
        });
        open.note_given(grant.as_ref());
    }
    let holder = open.question.holder.clone();
    pending.keep(open, false);
    if let DecidedAnswer::Taken(AnswerEffects { never_again: true, .. }) = &decided {
        pending.never_again(holder);
    }
    Some(decided)
}

fn is_taken(decided: &Option<DecidedAnswer>) -> bool {
    matches!(decided, Some(DecidedAnswer::Taken(_)))
}

/// Takes the answer, as a waiting call does.
fn take(pending: &mut PendingApprovals, id: &QuestionId, now: u64) -> Option<Answer> {
    match pending.take_answer(id, now).0 {
        QuestionState::Answered(answer, _) => Some(answer),
        _ => None,
    }
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
    assert!(is_taken(&decide(&mut pending, &first, Answer::NoThisSession, 11)));
    assert_eq!(take(&mut pending, &second, 11), Some(Answer::NoThisSession));
    assert_eq!(pending.take_answer(&other, 11).0, QuestionState::Open);
    assert_eq!(ask(&mut pending, &mut Pace::default(), &question("s", "x"), 12), AskOutcome::Never);
    pending.session_ended(&holder("s"));
    open(&mut pending, &question("s", "x"));
}

#[test]
fn scp_09_the_first_answer_counts_and_a_no_wins_a_tie() {
    let (once, always) = (yes(GrantLifetime::Once), yes(GrantLifetime::Always));
    let cases = [
        (once, None, once),
        (once, Some(always), once),
        (Answer::No, Some(always), Answer::No),
        (always, Some(Answer::No), Answer::No),
        (once, Some(Answer::NoThisSession), Answer::NoThisSession),
    ];
    for (first, second, counts) in cases {
        let mut pending = PendingApprovals::default();
        let id = open(&mut pending, &question("s", "write"));
        assert!(is_taken(&decide(&mut pending, &id, first, 11)));
        if let Some(second) = second {
            let decided = decide(&mut pending, &id, second, 11).unwrap();
            match counts == second {
                true => {
                    let DecidedAnswer::Taken(effects) = decided else { panic!("{decided:?}") };
                    assert_eq!(effects.revoke.is_some(), first.is_yes(), "what the yes gave ends");
                    assert_eq!(effects.give, None);
                }
                false => assert_eq!(decided, DecidedAnswer::Before(first)),
            }
        }
        assert_eq!(take(&mut pending, &id, 12), Some(counts), "{first:?} {second:?}");
        assert_eq!(decide(&mut pending, &id, always, 12), None, "it is closed");
    }
}

#[test]
fn scp_09_a_no_comes_too_late_for_a_yes_that_a_call_has_used() {
    let mut pending = PendingApprovals::default();
    let id = open(&mut pending, &question("s", "write"));
    decide(&mut pending, &id, yes(GrantLifetime::Once), 11);
    let mut open = pending.answerable(&id, 11).unwrap().clone();
    let before = DecidedAnswer::Before(yes(GrantLifetime::Once));
    assert_eq!(open.decide(Answer::No, |_| false), before);
}

#[test]
fn scp_04_after_a_yes_for_one_call_the_others_keep_waiting() {
    let mut pending = PendingApprovals::default();
    let id = open(&mut pending, &question("s", "write"));
    open(&mut pending, &question("s", "write"));
    assert!(is_taken(&decide(&mut pending, &id, yes(GrantLifetime::Once), 11)));
    assert_eq!(pending.take_answer(&id, 11).0, QuestionState::Open);
    assert_eq!(pending.pending(11).len(), 1, "the other call still waits");
    // The call that ran leaves.
    pending.leave(&id, 11);
    assert!(is_taken(&decide(&mut pending, &id, yes(GrantLifetime::Once), 11)));
    assert!(pending.pending(11).is_empty());
    assert_eq!(take(&mut pending, &id, 11), Some(yes(GrantLifetime::Once)));
    assert!(pending.open.is_empty());
}

#[test]
fn scp_09_nobody_waits_for_ever() {
    let mut pending = PendingApprovals::default();
    let id = open(&mut pending, &Question { until: u64::MAX, ..question("s", "write") });
    assert_eq!(pending.open[0].question.until, 10 + PendingApprovals::LONGEST_WAIT);
    decide(&mut pending, &id, Answer::No, 11);
    take(&mut pending, &id, 11);
    let id = open(&mut pending, &question("s", "write"));
    assert_eq!(decide(&mut pending, &id, Answer::No, 100), None);
    decide(&mut pending, &id, yes(GrantLifetime::Once), 99);
    assert_eq!(take(&mut pending, &id, 101), Some(yes(GrantLifetime::Once)), "it came in time");
    let id = open(&mut pending, &question("s", "write"));
    decide(&mut pending, &id, yes(GrantLifetime::Once), 99);
    assert_eq!(take(&mut pending, &id, 100 + GRACE), None);
}

#[test]
fn q_05_a_question_that_nobody_waits_for_ends_after_ten_minutes() {
    let mut pending = PendingApprovals::default();
    let hours = Question { until: 10_000, ..question("s", "write") };
    let id = open(&mut pending, &hours);
    open(&mut pending, &hours);
    pending.leave(&id, 100);
    assert_eq!(pending.pending(9_999).len(), 1, "one call still waits");
    pending.leave(&id, 200);
    assert_eq!(pending.pending(200 + ANSWERABLE - 1).len(), 1);
    assert!(pending.pending(200 + ANSWERABLE).is_empty());
}

#[test]
fn what_was_left_and_answered_is_not_asked_again() {
    let mut pending = PendingApprovals::default();
    let left = question("s", "write");
    let id = open(&mut pending, &left);
    pending.leave(&id, 11);
    assert_eq!(pending.pending(11).len(), 1);
    let decided = decide(&mut pending, &id, yes(GrantLifetime::Once), 11).unwrap();
    let DecidedAnswer::Taken(AnswerEffects { give: Some(terms), .. }) = decided else {
        panic!("{decided:?}")
    };
    assert_eq!(terms.expires, Some(left.until + GRACE), "it counts while the question would be open");
    assert_eq!(ask(&mut pending, &mut Pace::default(), &left, 12), AskOutcome::Granted);
    // Once the grant is used up, a person is asked anew.
    pending.open[0].grant = None;
    assert!(matches!(ask(&mut pending, &mut Pace::default(), &left, 12), AskOutcome::Open(_)));
    assert_eq!(pending.open.len(), 1);
}

#[test]
fn scp_09_what_nobody_waits_for_makes_room() {
    let (mut pending, mut pace) = (PendingApprovals::default(), Pace::default());
    for number in 0..2 * PendingApprovals::MOST_OPEN_PER_SESSION {
        let now = 10 + 2 * number as u64;
        let question = Question { until: 10_000, ..question("s", &format!("tool{number}")) };
        let asked = ask(&mut pending, &mut pace, &question, now);
        let AskOutcome::Open(id) = asked else { panic!("{number}: {asked:?}") };
        pending.leave(&id, now);
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
        for said in [Answer::NoThisSession, yes(GrantLifetime::Session)] {
            let id = open(&mut pending, &question(session, "write"));
            assert!(is_taken(&decide(&mut pending, &id, said, 11)));
            assert_eq!(take(&mut pending, &id, 11), Some(Answer::No));
        }
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
