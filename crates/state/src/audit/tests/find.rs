//! AUD-10: a search finds what reading the whole log finds.
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
        // A batch goes into one segment, so batches have to end for several segments to exist.
        let durability = if number % 20 == 19 { Durability::Durable } else { Durability::Batched };
        wait(log.write(entry, durability)).unwrap();
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
fn aud_10_a_search_finds_what_reading_finds() {
    let place = mixed_log(200);
    let log = place.open();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(60));
    runner
        .run(&filters(), |(filter, limit)| {
            let all: Vec<_> = place.records().into_iter().filter(|record| filter.takes(record)).collect();
            for order in [Order::OldestFirst, Order::NewestFirst] {
                let found = query(&place.dir(), &filter, order, limit).unwrap();
                let expected = match order {
                    Order::OldestFirst => &all[..limit.min(all.len())],
                    Order::NewestFirst => &all[all.len().saturating_sub(limit)..],
                };
                prop_assert_eq!(&found.records[..], expected);
                prop_assert_eq!(found.has_more, all.len() > limit);
            }
            Ok(())
        })
        .unwrap();
    // Records that are written later are found too.
    durable(&log, intent("late")).unwrap();
    let filter = Filter { call: Some("late".to_owned()), ..Filter::default() };
    assert_eq!(query(&place.dir(), &filter, Order::OldestFirst, 5).unwrap().records.len(), 1);
}

#[test]
fn aud_10_pages_follow_each_other_and_times_limit() {
    let place = mixed_log(50);
    let mut filter = Filter { kind: Some("deny".to_owned()), ..Filter::default() };
    let mut seen = Vec::new();
    loop {
        let page = query(&place.dir(), &filter, Order::OldestFirst, 5).unwrap();
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
        let page = query(&place.dir(), &filter, Order::NewestFirst, 5).unwrap();
        seen.splice(..0, page.records.iter().map(|record| record.seq));
        match page.records.first().filter(|_| page.has_more) {
            Some(first) => filter.before = Some(first.seq),
            None => break,
        }
    }
    assert_eq!(seen, all);
    let hour = Duration::from_hours(1);
    let found = |since, until| {
        let filter = Filter { since, until, ..Filter::default() };
        let count = |order| query(&place.dir(), &filter, order, 1000).unwrap().records.len();
        assert_eq!(count(Order::OldestFirst), count(Order::NewestFirst));
        count(Order::OldestFirst)
    };
    let now = SystemTime::now();
    assert_eq!(found(Some(now + hour), None), 0);
    assert_eq!(found(None, Some(now - hour)), 0);
    assert_eq!(found(Some(now - hour), Some(now + hour)), place.records().len());
}

/// A folder in the place of a segment can't be read, so a search that does not need it succeeds.
#[test]
fn the_newest_records_are_read_from_the_end() {
    let place = mixed_log(200);
    let (records, segments) = (place.records(), place.segments());
    assert!(segments.len() >= 3, "{segments:?}");
    fs::remove_file(&segments[0]).unwrap();
    fs::create_dir(&segments[0]).unwrap();
    let newest = |filter: &Filter, limit| query(&place.dir(), filter, Order::NewestFirst, limit);
    assert_eq!(newest(&Filter::default(), 5).unwrap().records, records[records.len() - 5..]);
    let last = records.len() as u64;
    let after = Filter { after: last - 5, ..Filter::default() };
    assert_eq!(newest(&after, 1000).unwrap().records, records[records.len() - 5..]);
    // A search goes a day further back, in case the clock was set back.
    let now = SystemTime::now();
    let since = |hours| Filter { since: Some(now + Duration::from_hours(hours)), ..Filter::default() };
    assert!(newest(&since(25), 1000).unwrap().records.is_empty());
    assert!(newest(&since(23), 1000).is_err());
    // The segments at the end are not read if the wanted records come before them.
    fs::remove_dir(&segments[0]).unwrap();
    let last = segments.last().unwrap();
    fs::remove_file(last).unwrap();
    fs::create_dir(last).unwrap();
    let first: u64 = last.file_stem().unwrap().to_str().unwrap().trim_start_matches("seg-").parse().unwrap();
    let before = Filter { before: Some(first), ..Filter::default() };
    assert_eq!(newest(&before, 1).unwrap().records[0].seq, first - 1);
}

/// A record that somebody changed can't end a search before the records that it should find.
#[test]
fn a_changed_record_hides_no_other() {
    let place = mixed_log(20);
    let records = place.records();
    let changed = &records[10];
    let read = |path: &std::path::PathBuf| fs::read_to_string(path).unwrap();
    let path = place.segments().into_iter().find(|path| read(path).contains(changed.as_str())).unwrap();
    let text = read(&path);
    let year = &changed.text("ts")[..4];
    let line = changed.as_str().replace(&format!("\"ts\":\"{year}"), "\"ts\":\"1999");
    for line in [line, changed.as_str().replace(&format!("\"seq\":{}", changed.seq), "\"seq\":0")] {
        assert_ne!(line, changed.as_str());
        fs::write(&path, text.replace(changed.as_str(), &line)).unwrap();
        let hour_ago = SystemTime::now() - Duration::from_hours(1);
        let filter = Filter { since: Some(hour_ago), ..Filter::default() };
        for order in [Order::OldestFirst, Order::NewestFirst] {
            let found = query(&place.dir(), &filter, order, 1000).unwrap().records;
            assert_eq!(found, [&records[..10], &records[11..]].concat(), "{order:?}");
        }
    }
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
    for order in [Order::OldestFirst, Order::NewestFirst] {
        is_empty(query(&place.dir(), &Filter::default(), order, 10).unwrap_err());
    }
}
