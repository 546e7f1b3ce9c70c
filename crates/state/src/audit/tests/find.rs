//! AUD-10: the index gives the same results as reading the whole log.
use std::fs;
use std::time::{Duration, SystemTime};

use overt_layers::audit::{Entry, Kind, Latency};
use proptest::prelude::*;

use super::support::{Place, durable, intent, outcome, wait};
use crate::audit::{
    AuditError, Filter, Order, TrustAnchors, csv_header, csv_row, percentiles, query, verify,
};
use overt_layers::audit::{Durability, Ledger as _};

/// A log with many kinds of records in several segments.
fn mixed_log(count: usize) -> Place {
    let place = Place::new();
    let log = place.open_with(|options| options.segment_bytes = 20_000).unwrap();
    for number in 0..count {
        let call = format!("c{}", number / 2);
        let kind = [Kind::Intent, Kind::Outcome, Kind::Deny, Kind::Grant][number % 4];
        let entry = Entry {
            kind,
            principal: Some(["ada", "ben", "eve"][number % 3].to_owned()),
            target: Some(["edit_file", "file:///t/box/x", "search"][number / 3 % 3].to_owned()),
            needed: vec![format!("write:file:/t/{}", ["box", "box/x", "box/x/y", "boxy", ""][number % 5])],
            decision: Some(["allow", "deny", "needs_approval"][number / 2 % 3]),
            rules: (0..number % 3).map(|rule| format!("r{rule}")).collect(),
            grant: (number % 7 == 0).then(|| "g-17".to_owned()),
            ..intent(&call)
        };
        wait(log.write(entry, Durability::Batched)).unwrap();
    }
    place
}

fn one_of(values: &'static [&'static str]) -> impl Strategy<Value = Option<String>> {
    prop_oneof![2 => Just(None), 1 => proptest::sample::select(values).prop_map(|value| Some(value.to_owned()))]
}

fn filters() -> impl Strategy<Value = (Filter, usize)> {
    let members = (
        one_of(&["intent", "deny", "gap"]),
        one_of(&["c3", "c7"]),
        one_of(&["ada", "eve", "nobody"]),
        one_of(&["edit_file", "file:///t/box/x"]),
        one_of(&["/t/box", "/t/box/x", "/t/", "/t/box/x/", "/"]),
        one_of(&["allow", "deny"]),
        one_of(&["r0", "r1"]),
        one_of(&["g-17"]),
    );
    (members, 0..200_u64, 1..50_usize).prop_map(
        |((kind, call, principal, target, path, decision, rule, grant), after, limit)| {
            let filter = Filter {
                kind,
                call,
                principal,
                target,
                path,
                decision,
                rule,
                grant,
                after,
                before: (after % 3 == 1).then_some(after + 120),
                without_own: after % 2 == 0,
                ..Filter::default()
            };
            (filter, limit)
        },
    )
}

#[test]
fn aud_10_the_index_finds_what_reading_finds() {
    let place = mixed_log(200);
    let index = place.outside().with_extension("sqlite");
    let log = place.open();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(60));
    runner
        .run(&filters(), |(filter, limit)| {
            let all: Vec<_> = place.records().into_iter().filter(|record| filter.takes(record)).collect();
            for order in [Order::OldestFirst, Order::NewestFirst] {
                let scanned = query(&place.dir(), None, &filter, order, limit).unwrap();
                let indexed = query(&place.dir(), Some(&index), &filter, order, limit).unwrap();
                prop_assert_eq!(&scanned, &indexed);
                let expected = match order {
                    Order::OldestFirst => &all[..limit.min(all.len())],
                    Order::NewestFirst => &all[all.len().saturating_sub(limit)..],
                };
                prop_assert_eq!(&scanned.records[..], expected);
                prop_assert_eq!(scanned.has_more, all.len() > limit);
            }
            Ok(())
        })
        .unwrap();
    // Records that are written later are found too.
    durable(&log, intent("late")).unwrap();
    let filter = Filter { call: Some("late".to_owned()), ..Filter::default() };
    assert_eq!(query(&place.dir(), Some(&index), &filter, Order::OldestFirst, 5).unwrap().records.len(), 1);
}

#[test]
fn aud_10_pages_follow_each_other_and_times_limit() {
    let place = mixed_log(50);
    let mut filter = Filter { kind: Some("deny".to_owned()), ..Filter::default() };
    let mut seen = Vec::new();
    loop {
        let page = query(&place.dir(), None, &filter, Order::OldestFirst, 5).unwrap();
        seen.extend(page.records.iter().map(|record| record.seq));
        match page.records.last().filter(|_| page.has_more) {
            Some(last) => filter.after = last.seq,
            None => break,
        }
    }
    let all: Vec<u64> = place
        .records()
        .into_iter()
        .filter(|record| record.text("kind") == "deny")
        .map(|record| record.seq)
        .collect();
    assert_eq!(seen, all);
    let mut filter = Filter { kind: Some("deny".to_owned()), ..Filter::default() };
    seen.clear();
    loop {
        let page = query(&place.dir(), None, &filter, Order::NewestFirst, 5).unwrap();
        seen.splice(..0, page.records.iter().map(|record| record.seq));
        match page.records.first().filter(|_| page.has_more) {
            Some(first) => filter.before = Some(first.seq),
            None => break,
        }
    }
    assert_eq!(seen, all);
    let hour = Duration::from_secs(3600);
    let found = |since, until| {
        let filter = Filter { since, until, ..Filter::default() };
        query(&place.dir(), None, &filter, Order::OldestFirst, 1000).unwrap().records.len()
    };
    let now = SystemTime::now();
    assert_eq!(found(Some(now + hour), None), 0);
    assert_eq!(found(None, Some(now - hour)), 0);
    assert_eq!(found(Some(now - hour), Some(now + hour)), place.records().len());
}

/// An index of another log is rebuilt, and a file that is not an index is ignored.
#[test]
fn a_wrong_index_changes_nothing() {
    let (place, other) = (mixed_log(20), mixed_log(30));
    let index = place.outside().with_extension("sqlite");
    let filter = Filter::default();
    let found =
        |place: &Place| query(&place.dir(), Some(&index), &filter, Order::OldestFirst, 1000).unwrap().records;
    assert_eq!(found(&place), place.records());
    assert_eq!(found(&other), other.records());
    assert_eq!(found(&place), place.records());
    std::fs::write(&index, "no database").unwrap();
    for rest in ["sqlite-wal", "sqlite-shm"] {
        let _ = std::fs::remove_file(index.with_extension(rest));
    }
    assert_eq!(found(&place), place.records());
}

#[test]
fn rows_have_as_many_cells_as_the_header() {
    let place = Place::new();
    let log = place.open();
    durable(&log, Entry { intent: Some("=cmd()".to_owned()), ..intent("c") }).unwrap();
    log.close();
    let row = csv_row(&place.records()[2]);
    assert_eq!(row.split(',').count(), csv_header().split(',').count(), "{row}");
    assert!(row.contains("\"'=cmd()\""), "{row}");
}

#[test]
fn times_of_a_tool_are_measured() {
    let place = Place::new();
    let log = place.open();
    for time in 1..=200 {
        let latency = Latency { upstream: time * 10, ..Latency::default() };
        let entry = Entry {
            target: Some("search".to_owned()),
            method: Some("tools/call".to_owned()),
            latency: Some(latency),
            ..outcome("c")
        };
        wait(log.write(entry, Durability::Batched)).unwrap();
    }
    log.close();
    let times = percentiles(&place.dir(), None).unwrap();
    let search = &times["search"];
    assert_eq!((search.count, search.p50, search.p95, search.p99), (200, 1000, 1900, 1980));
    assert!(search.from < search.to);
    assert!(percentiles(&place.dir(), Some(SystemTime::now() + Duration::from_secs(60))).unwrap().is_empty());
}

/// A folder without records is an error, not a log with an empty result.
#[test]
fn a_folder_without_records_is_an_error() {
    let place = Place::new();
    drop(place.open());
    place.segments().iter().for_each(|path| fs::remove_file(path).unwrap());
    let is_empty = |error: AuditError| assert!(matches!(error, AuditError::Empty(_)), "{error}");
    is_empty(verify(&place.dir(), &TrustAnchors::default(), &mut |_, _| {}).unwrap_err());
    let index = place.outside().with_extension("sqlite");
    is_empty(query(&place.dir(), None, &Filter::default(), Order::OldestFirst, 10).unwrap_err());
    is_empty(query(&place.dir(), Some(&index), &Filter::default(), Order::OldestFirst, 10).unwrap_err());
}
