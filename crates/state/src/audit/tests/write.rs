//! Records as they are on disk.
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use overt_layers::audit::{Durability, Entry, Kind, Latency, Ledger as _};
use overt_wire::json::JsonBuf;
use overt_wire::{Id, Message};

use super::support::{Place, durable, intent, outcome, wait};
use crate::audit::{Arguments, AuditError, Record};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_call_is_an_intent_and_an_outcome_in_a_chain() {
    let place = Place::new();
    let log = place.open();
    durable(&log, intent("c1")).unwrap();
    let latency = Latency { policy: 1, approval: 0, upstream: 20, total: 21 };
    durable(&log, Entry { latency: Some(latency), ..outcome("c1") }).unwrap();
    assert_eq!(place.kinds(), ["segment", "start", "intent", "outcome"], "what is acknowledged is there");
    log.close();
    assert_eq!(place.kinds()[4..], ["stop", "checkpoint"]);
    let records = place.records();
    let intent = &records[2];
    assert_eq!((intent.seq, intent.prev), (3, records[1].hash));
    assert_eq!(intent.text("intent"), "Edit a.rs");
    assert_eq!(intent.list("needed"), ["write:file:/t/a.rs"]);
    assert!(intent.text("args_digest").starts_with("blake3-keyed:") && !intent.as_str().contains("{\"path"));
    assert_eq!(records[3].json().at(&["latency_us", "upstream"]).value().unwrap().integer(), Some(20));
    assert_eq!(records[3].number("result_bytes"), Some(14));
    let report = place.verify();
    assert_eq!((report.broken, report.records, report.signed_to), (None, 6, Some(5)));
}

#[test]
fn files_are_for_us_alone_and_closed_segments_are_read_only() {
    let place = Place::new();
    let log = place.open_with(|options| options.segment_bytes = 1).unwrap();
    durable(&log, intent("c1")).unwrap();
    log.close();
    let segments = place.segments();
    assert_eq!((segments.len(), mode(&segments[0]), mode(&segments[1])), (2, 0o400, 0o600));
    assert_eq!(mode(&place.dir()), 0o700);
    for key in fs::read_dir(place.keys()).unwrap() {
        assert_eq!(mode(&key.unwrap().path()), 0o600);
    }
    assert_eq!(place.verify().broken, None);
}

/// AUD-07
#[test]
fn aud_07_one_process_writes_a_log() {
    let place = Place::new();
    let log = place.open();
    assert!(matches!(place.open_with(|_| {}), Err(AuditError::Locked(_))));
    drop(log);
    drop(place.open());
    assert_eq!(place.verify().broken, None);
}

#[test]
fn a_log_is_continued_in_the_same_segment() {
    let place = Place::new();
    for round in 0..3 {
        let log = place.open();
        wait(log.write(intent(&format!("c{round}")), Durability::Batched)).unwrap();
        log.note(outcome(&format!("c{round}")));
    }
    assert_eq!(place.segments().len(), 1);
    assert_eq!(place.kinds().iter().filter(|kind| *kind == "recovery").count(), 0, "{:?}", place.kinds());
    assert_eq!(place.kinds().iter().filter(|kind| *kind == "outcome").count(), 3);
    assert_eq!(place.verify().broken, None);
}

/// AUD-06: the log contains nothing that looks like a secret or has the name of one. Every record
/// is one line of bounded size.
#[test]
fn aud_06_secrets_stay_out_of_the_log() {
    const CANARY: &str = "hunter2-canary";
    let place = Place::new();
    let log = place.open_with(|options| options.arguments = Arguments::Redacted).unwrap();
    let jwt = format!("eyJhbGciOiJIUzI1NiJ9.{CANARY}.c2ln");
    let big = "x".repeat(1 << 20);
    for (arguments, text) in [
        (format!(r#"{{"password":"{CANARY}"}}"#), format!("Log in as ada with {CANARY}")),
        (format!(r#"{{"auth":{{"api_key":["{CANARY}"]}}}}"#), format!("use {CANARY}")),
        (
            r#"{"header":"Authorization: Bearer §"}"#.replace('§', CANARY),
            format!("Authorization: Bearer {CANARY}"),
        ),
        (format!(r#"{{"note":"{jwt}"}}"#), format!("with {jwt} and\nanother line\u{1b}[31m")),
        (
            r#"{"u":"https://a:§@h/?api_key=§"}"#.replace('§', CANARY),
            format!("fetch https://h/?token={CANARY}"),
        ),
        (
            r#"{"k":"-----BEGIN PRIVATE KEY-----\n§\n-----END PRIVATE KEY-----"}"#.replace('§', CANARY),
            String::new(),
        ),
        (format!(r#"{{"big":"{big}","password":"{CANARY}"}}"#), big.clone()),
        (format!(r#"{{"body":"{}"}}"#, "é\\n\\u0000".repeat(9000)), "é\r\n\0\u{2028}".repeat(9000)),
    ] {
        let arguments = JsonBuf::parse(&arguments).unwrap();
        let result = JsonBuf::parse(&format!(r#"{{"text":"{CANARY} {big}"}}"#)).unwrap();
        let entry = Entry {
            arguments: Some(arguments.into()),
            answer: Some(Message::result(&Id::from(1), result.as_json())),
            intent: Some(text.clone()),
            reason: Some(text.clone()),
            session: Some(CANARY.to_owned()),
            target: Some(text.clone()),
            needed: vec![format!("write:x:{text}"); 200],
            ..Entry::new(Kind::Intent)
        };
        durable(&log, entry).unwrap();
    }
    log.close();
    let text = place.text();
    assert!(!text.contains(CANARY), "{}", &text[text.find(CANARY).unwrap().saturating_sub(200)..][..400]);
    assert_eq!(place.records().len(), 2 + 8 + 2);
    let longest = text.lines().map(str::len).max().unwrap();
    assert!(longest < 64 << 10, "{longest}");
    assert!(text.bytes().all(|byte| byte == b'\n' || byte >= 0x20));
    assert!(text.contains("args_redacted"));
}

/// Notes that are dropped because the queue is full are counted.
#[test]
fn what_could_not_wait_is_a_gap() {
    let place = Place::new();
    let log = place.open_with(|options| options.queue_kib = 4).unwrap();
    for call in 0..500 {
        log.note(intent(&call.to_string()));
    }
    log.close();
    let records = place.records();
    let written = records.iter().filter(|record| record.text("kind") == "intent").count() as u64;
    let missing: u64 = records.iter().filter_map(|record| record.number("count")).sum();
    assert_eq!(written + missing, 500);
    assert_eq!(place.verify().missing, missing);
}

#[test]
fn callers_share_the_disk() {
    let place = Place::new();
    let log = place.open();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let log = std::sync::Arc::new(log);
    runtime.block_on(async {
        let callers: Vec<_> = (0..64)
            .map(|caller| {
                let log = std::sync::Arc::clone(&log);
                tokio::spawn(async move {
                    for round in 0..5 {
                        log.write(intent(&format!("{caller}-{round}")), Durability::Durable).await.unwrap();
                    }
                })
            })
            .collect();
        for caller in callers {
            caller.await.unwrap();
        }
    });
    log.close();
    let calls: std::collections::HashSet<String> =
        place.records().iter().map(|record| record.text("call")).collect();
    assert_eq!(calls.len(), 320 + 1, "with the empty one");
    assert_eq!(place.verify().broken, None);
}

/// The example in `docs/audit.md` is a record, and its hash is computed as the page says.
#[test]
fn the_example_of_the_documentation_is_a_record() {
    let page = include_str!("../../../../../docs/audit.md");
    let line = page.split_once("```json\n").unwrap().1.lines().next().unwrap();
    let record = crate::audit::Record::parse(line).unwrap();
    let hash = format!("\"hash\":\"{}\",", record.hash);
    let bytes = format!("overt.audit.v1\0{}{}", record.prev, line.replace(&hash, ""));
    let digest = <sha2::Sha256 as sha2::Digest>::digest(bytes);
    assert_eq!(record.hash.to_string(), format!("sha256:{}", overt_wire::hex::hex(&digest)));
}

#[test]
fn records_that_nobody_waits_for_are_on_the_disk_soon_while_more_arrive() {
    let place = Place::new();
    let log = place.open();
    for call in 0..60 {
        log.note(intent(&call.to_string()));
        std::thread::sleep(Duration::from_millis(10));
    }
    log.close();
    let records = place.records();
    let calls: Vec<&Record> = records.iter().filter(|record| record.text("kind") == "intent").collect();
    let synced = calls.iter().filter_map(|record| record.number("synced")).max();
    assert!(synced >= Some(calls[0].seq), "{synced:?}");
}
