//! A search gives the same result whether the search cache is missing, valid, damaged or of another
//! file.
use std::fs;
use std::path::PathBuf;

use overt_layers::audit::{Durability, Entry, Ledger as _};

use super::support::{Place, intent, outcome, wait};
use crate::audit::{NewestRecords, RecordKey, RecordQuery, Source};

/// Returns a damaged version of a cache.
type Damage = fn(&[u8]) -> Vec<u8>;

const CALLS: usize = 1_200;

/// A log with several segments of several blocks each.
fn filled() -> Place {
    let place = Place::new();
    let log = place.open_with(|options| options.segment_bytes = 1 << 20).unwrap();
    for number in 0..CALLS {
        let call = format!("call-{number}");
        let begun = Entry {
            needed: vec![format!("write:file:/t/{}/{number}.rs", number % 300)],
            intent: Some("Edit a file. ".repeat(200)),
            ..intent(&call)
        };
        wait(log.write(begun, Durability::Batched)).unwrap();
        let ended = Entry { change: Some(format!("c-17-{number}x")), ..outcome(&call) };
        // A batch goes into one segment, however large it is, so batches have to end for several
        // segments to exist.
        let durability = if number % 50 == 49 { Durability::Durable } else { Durability::Batched };
        wait(log.write(ended, durability)).unwrap();
    }
    log.close();
    place
}

/// Keys to search for, each with a text to find it by and the number of records that have it.
fn searches() -> Vec<(RecordKey, String, usize)> {
    let call =
        |number: usize| (RecordKey::Call(format!("call-{number}")), format!("\"call\":\"call-{number}\""), 2);
    let change = |number: usize| (RecordKey::Change(format!("c-{number}x")), format!("-{number}x\""), 1);
    let path = |path: &str, count| (RecordKey::Path(path.to_owned()), format!("write:file:{path}"), count);
    vec![
        call(0),
        call(CALLS / 2),
        call(CALLS - 1),
        change(7),
        path("/t/7/307.rs", 1),
        path("/t/9", 4),
        path("/nowhere", 0),
    ]
}

/// Returns the numbers of the found records, either by the key or by reading everything.
fn found(place: &Place, key: Option<RecordKey>, text: &str) -> Vec<u64> {
    let log = Source { name: "log".to_owned(), dir: place.dir(), after: 0, before: None };
    let wanted = RecordQuery {
        texts: vec![text.to_owned()],
        keys: key.into_iter().collect(),
        ..RecordQuery::default()
    };
    NewestRecords::open(&[log], &wanted).map(|(_, record)| record.seq).collect()
}

fn caches(place: &Place) -> Vec<PathBuf> {
    let all = fs::read_dir(place.dir().parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
    let mut caches: Vec<PathBuf> =
        all.filter(|path| path.extension().is_some_and(|end| end == "blocks")).collect();
    caches.sort();
    caches
}

fn check(place: &Place, when: &str) {
    for (key, text, count) in searches() {
        // `/t/9` is also the beginning of other folders' names.
        let is_folder = matches!(&key, RecordKey::Path(path) if path == "/t/9");
        let text = if is_folder { format!("{text}/") } else { text };
        let all = found(place, None, &text);
        assert_eq!(all.len(), count, "{key:?} {when}");
        assert_eq!(found(place, Some(key.clone()), &text), all, "{key:?} {when}");
    }
}

#[test]
fn a_search_finds_the_same_whatever_became_of_its_cache() {
    let place = filled();
    let segments = place.segments();
    assert!(segments.len() >= 3, "{segments:?}");
    check(&place, "without a cache");
    assert_eq!(caches(&place).len(), segments.len() - 1, "the last segment is still written");
    check(&place, "with a cache");
    let whole: Vec<Vec<u8>> = caches(&place).iter().map(|path| fs::read(path).unwrap()).collect();
    let damages: [(&str, Damage); 4] = [
        ("empty", |_| Vec::new()),
        ("cut", |bytes| bytes[..bytes.len() / 2].to_vec()),
        ("all bits cleared", |bytes| {
            [&bytes[..64], &vec![0; bytes.len() - 96], &bytes[bytes.len() - 32..]].concat()
        }),
        ("something else", |_| b"{\"not\": \"a cache\"}\n".to_vec()),
    ];
    for (name, damage) in damages {
        for (path, bytes) in caches(&place).iter().zip(&whole) {
            fs::write(path, damage(bytes)).unwrap();
        }
        check(&place, name);
        let again: Vec<Vec<u8>> = caches(&place).iter().map(|path| fs::read(path).unwrap()).collect();
        assert!(again == whole, "it is built again: {name}");
    }
    // A cache of another segment is not used.
    for (path, bytes) in caches(&place).iter().zip(whole.iter().rev()) {
        fs::write(path, bytes).unwrap();
    }
    check(&place, "of other segments");
    // A segment that somebody changed: its present content is found.
    let text = fs::read_to_string(&segments[0]).unwrap();
    fs::write(&segments[0], text.replace("call-0\"", "call-Z\"")).unwrap();
    let changed = found(&place, Some(RecordKey::Call("call-Z".to_owned())), "call-Z\"");
    assert_eq!(changed.len(), 2, "`verify` says that it was changed");
    fs::write(&segments[0], text).unwrap();
    check(&place, "about a file that was written again");
    // The cache of a removed segment is removed too.
    fs::remove_file(&segments[0]).unwrap();
    fs::write(&caches(&place)[1], "").unwrap();
    let _ = found(&place, Some(RecordKey::Call("call-0".to_owned())), "call-0\"");
    assert_eq!(caches(&place).len(), segments.len() - 2);
}

#[test]
fn blocks_without_the_key_are_not_read() {
    let place = filled();
    check(&place, "to build the cache");
    // Unreadable lines are counted when they are read, so none are counted in skipped blocks.
    let segment = &place.segments()[0];
    let about = fs::metadata(segment).unwrap();
    let mut bytes = fs::read(segment).unwrap();
    let end = bytes.len();
    bytes[end - 200..end - 1].fill(0xff);
    fs::write(segment, bytes).unwrap();
    fs::File::options().write(true).open(segment).unwrap().set_modified(about.modified().unwrap()).unwrap();
    let log = Source { name: "log".to_owned(), dir: place.dir(), after: 0, before: None };
    let wanted = |keys| RecordQuery { keys, ..RecordQuery::default() };
    let garbage = |keys| {
        let mut newest = NewestRecords::open(std::slice::from_ref(&log), &wanted(keys));
        newest.by_ref().for_each(drop);
        newest.unread().iter().map(|unread| unread.lines).sum::<u64>()
    };
    assert_eq!(garbage(Vec::new()), 1);
    assert_eq!(garbage(vec![RecordKey::Call("call-0".to_owned())]), 0);
}
