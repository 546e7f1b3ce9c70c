//! Scenarios of a server and the people who review it: its lists, their decisions, and the
//! resulting states of its tools.
use overt_wire::json::{Json, Object};

use super::super::identity::Identity;
use super::super::record::{Decision, PinDecisionError};
use super::*;

/// Runs steps, one per line. `shows a=1 b=2` lists these tools with these descriptions; a final `…`
/// means that another page follows. `accept a`, `keep a` and `diff` are actions of a person.
/// `restart` starts a new process with the same record. `is a accepted, b changed` checks states.
#[track_caller]
fn check(steps: &str) {
    let mut record: Option<Record> = None;
    let mut live = LivePins::default();
    for (number, line) in steps.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty()) {
        let (step, rest) = line.split_once(' ').unwrap_or((line, ""));
        let decision = match step {
            "accept" => Some(Decision::Accept),
            "keep" => Some(Decision::Keep),
            _ => None,
        };
        match step {
            "shows" => {
                let listing = listing(rest);
                record.get_or_insert_with(new).note(&listing, 7);
                assert!(record.as_ref().unwrap().knows(&listing), "line {number}: noted, so known");
                live.renew(record.clone());
                live.add_list(&listing);
            }
            "is" => {
                for word in rest.split(", ") {
                    let (tool, expected) = word.split_once(' ').unwrap();
                    assert_eq!(state(&live, tool), expected, "line {number}, `{tool}`:{steps}");
                }
            }
            "diff" => {
                let record = record.as_mut().unwrap();
                let digest = record.tools["a"].unaccepted.as_ref().unwrap().digest;
                record.show("a", digest);
            }
            "restart" => {
                live = LivePins::default();
                live.renew(record.clone());
            }
            "forget" => {
                record = None;
                live.renew(None);
            }
            _ => {
                let (tool, why) = rest.split_once(": ").map_or((rest, None), |(tool, why)| (tool, Some(why)));
                let result = record.as_mut().unwrap().decide(tool, decision.unwrap(), 9);
                assert_eq!(result.err().map(word), why, "line {number}:{steps}");
                live.renew(record.clone());
            }
        }
    }
}

fn new() -> Record {
    Record::new(Identity::url("http://a/"), 7)
}

fn listing(text: &str) -> Listing {
    let more = text.contains('…');
    let tools: Vec<_> = text
        .split_whitespace()
        .filter_map(|word| word.split_once('='))
        .map(|(name, text)| Object::new().string("name", name).string("description", text).finish())
        .collect();
    Listing::of(tools.iter().map(|tool| tool.as_json()), more)
}

fn state(live: &LivePins, tool: &str) -> &'static str {
    match live.state(tool) {
        LiveState::Accepted => "accepted",
        LiveState::New { .. } => "new",
        LiveState::Changed { was, now } => {
            assert_ne!(was, now);
            "changed"
        }
        LiveState::Conflicting { .. } => "conflicting",
        LiveState::Unlisted => "unlisted",
    }
}

fn word(undecided: PinDecisionError) -> &'static str {
    match undecided {
        PinDecisionError::Unknown => "unknown",
        PinDecisionError::Nothing => "nothing",
        PinDecisionError::Conflicting => "conflicting",
        PinDecisionError::ChangedSince => "changed since",
    }
}

#[test]
fn what_is_seen_first_is_accepted() {
    check(
        "
        shows a=1 b=1
        is a accepted, b accepted, c unlisted
        restart
        is a unlisted
        shows a=1 b=1
        is a accepted, b accepted",
    );
}

#[test]
fn card_01_a_changed_tool_waits_until_it_is_accepted() {
    check(
        "
        shows a=1 b=1
        shows a=2 b=1
        is a changed, b accepted
        accept b: nothing
        accept c: unknown
        accept a
        is a accepted
        shows a=2 b=1
        is a accepted
        shows a=1 b=1
        is a changed",
    );
}

#[test]
fn card_02_renamed_swapped_and_returning_tools() {
    // A tool under another name is another tool.
    check(
        "
        shows a=1
        shows z=1
        is z new, a accepted
        restart
        shows z=1
        is z new, a unlisted
        accept z
        is z accepted",
    );
    // A tool that returns is either unchanged or changed.
    check(
        "
        shows a=1 b=1
        shows b=1
        shows a=1 b=1
        is a accepted
        shows b=1
        restart
        shows a=2 b=1
        is a changed",
    );
    check(
        "
        shows a=1 b=2
        shows a=2 b=1
        is a changed, b changed",
    );
}

#[test]
fn card_03_a_list_that_is_not_the_same_for_everybody() {
    // A difference remains, whatever the server lists later.
    check(
        "
        shows a=1
        shows a=2
        shows a=1
        is a changed
        shows a=3
        is a changed
        accept a
        is a accepted
        shows a=1
        is a changed",
    );
    // A duplicate name in one list, on first contact and later.
    check(
        "
        shows a=1 a=2 b=1 b=1
        is a conflicting, b accepted
        accept a: conflicting
        shows a=1 b=1
        is a conflicting
        keep a
        is a unlisted
        shows a=1
        is a new",
    );
    check(
        "
        shows a=1
        shows a=1 a=2
        is a conflicting
        restart
        shows a=2 a=1
        is a conflicting
        keep a
        shows a=1
        is a accepted",
    );
}

#[test]
fn card_03_pages_of_the_first_list_belong_together() {
    check(
        "
        shows a=1 …
        shows b=1 …
        shows c=1
        is a accepted, b accepted, c accepted
        shows d=1
        is d new",
    );
    check(
        "
        shows a=1 …
        shows a=2
        is a changed",
    );
}

#[test]
fn keeping_drops_what_was_seen() {
    check(
        "
        shows a=1
        shows a=2 b=1
        keep a
        keep b
        is a unlisted, b unlisted
        shows a=1
        is a accepted
        shows a=2 b=1
        is a changed, b new
        keep c: unknown",
    );
}

#[test]
fn only_what_was_shown_can_be_accepted() {
    check(
        "
        shows a=1
        shows a=2
        diff
        shows a=3
        accept a: changed since
        diff
        accept a
        is a accepted
        shows a=4
        accept a
        is a accepted",
    );
}

#[test]
fn another_process_may_accept_what_this_one_has_not_seen() {
    check(
        "
        shows a=1
        shows a=2
        restart
        shows a=1
        is a accepted
        accept a
        is a changed",
    );
    check(
        "
        shows a=1
        shows a=2
        forget
        is a unlisted
        shows a=2
        is a accepted",
    );
}

#[test]
fn everything_is_bounded() {
    let tools: Vec<_> = (0..5_000).map(|n| Object::new().string("name", &format!("t{n}")).finish()).collect();
    let long = Object::new().string("name", &"x".repeat(300)).finish();
    let all = Listing::of(tools.iter().chain([&long]).map(|tool| tool.as_json()), false);
    assert_eq!((all.tools.len(), all.left_out), (2_000, 3_001));
    let mut record = new();
    record.note(&all, 7);
    let others: Vec<_> = (0..10).map(|n| Object::new().string("name", &format!("u{n}")).finish()).collect();
    let others = Listing::of(others.iter().map(|tool| tool.as_json()), false).continued();
    assert!(record.knows(&others), "there is no room for more");
    record.note(&others, 7);
    assert_eq!(record.tools.len(), 2_000);
}

#[test]
fn long_definitions_are_known_by_their_digests() {
    let tool = |name: &str, length: usize| {
        Object::new().string("name", name).string("description", &"x".repeat(length)).finish()
    };
    let mut record = new();
    let tools: Vec<_> =
        (0..40).map(|n| tool(&format!("t{n}"), 200_000)).chain([tool("long", 300_000)]).collect();
    record.note(&Listing::of(tools.iter().map(|tool| tool.as_json()), false), 7);
    let accepted = |name: &str| record.tools[name].accepted.clone().unwrap();
    assert!(accepted("long").text.is_none() && accepted("t0").text.is_some());
    assert_eq!(accepted("long").digest, Digest::of(tool("long", 300_000).as_json()));
    let kept: usize =
        record.tools.values().filter(|pin| pin.accepted.as_ref().unwrap().text.is_some()).count();
    assert_eq!(kept, (5 << 20) / 200_034, "as many as there is room for");
}

#[test]
fn tools_without_names_are_no_tools() {
    let tools =
        [r#"{"description":"x"}"#, r#"{"name":7}"#, "[]", "null"].map(|text| Json::parse(text).unwrap());
    assert_eq!(Listing::of(tools, false).tools.len(), 0);
}
