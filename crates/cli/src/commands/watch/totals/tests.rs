//! Tests of what counts as a call, and when.
use super::*;

fn action(call: &str, method: &str, end: End) -> Action {
    Action {
        log: "log".to_owned(),
        ts: "2026-11-16T14:02:00.000000Z".to_owned(),
        call: call.to_owned(),
        client: "Claude Code 2.1".to_owned(),
        project: None,
        server: "filesystem".to_owned(),
        server_id: None,
        target: "write_file".to_owned(),
        method: method.to_owned(),
        sentence: String::new(),
        changes: Vec::new(),
        change: None,
        effect: None,
        basis: None,
        only_reads: false,
        is_preview: false,
        session: None,
        needed: Vec::new(),
        grant: None,
        trust: None,
        end,
        micros: None,
    }
}

fn counted(records: &[(&str, &str, End)]) -> (usize, usize) {
    let mut tally = Tally::default();
    for (call, method, end) in records {
        tally.count(&action(call, method, end.clone()));
    }
    (tally.totals.allowed, tally.totals.refused)
}

#[test]
fn a_call_counts_when_it_is_allowed_and_only_once() {
    let call = "tools/call";
    let refused = || End::Refused("no".to_owned());
    assert_eq!(counted(&[("a", call, End::Open)]), (1, 0));
    assert_eq!(counted(&[("a", call, End::Open), ("a", call, End::Done)]), (1, 0));
    assert_eq!(counted(&[("a", call, End::Open), ("b", call, End::Open), ("a", call, End::Done)]), (2, 0));
    // A call that only reads has no record before its end.
    assert_eq!(counted(&[("a", call, End::Done), ("b", call, End::Failed("error".to_owned()))]), (2, 0));
    assert_eq!(counted(&[("a", call, refused())]), (0, 1));
    assert_eq!(counted(&[("a", call, End::Open), ("a", call, refused())]), (0, 1));
}

/// An answer is recorded as refused if nothing proves that a person gave it.
#[test]
fn a_refused_answer_is_not_a_call() {
    let refused = || End::Refused("q-1: yes: only a person can answer this".to_owned());
    assert_eq!(counted(&[("", "", refused()), ("", "", refused())]), (0, 0));
}
