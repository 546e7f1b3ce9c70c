//! The files of the store: permissions, several writers, invalid content.
use super::{deciding, forgetting};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use overt_gateway::pins::{Decision, Identity, Listing, PinStore, Record, State};
use overt_wire::json::{JsonBuf, Object};
use tempfile::TempDir;

fn tool(name: &str, text: &str) -> JsonBuf {
    Object::new().string("name", name).string("description", text).finish()
}

fn note(store: &PinStore, identity: &Identity, tools: &[JsonBuf], more: bool) {
    let listing = Listing::of(tools.iter().map(JsonBuf::as_json), more);
    store
        .decide(&deciding(identity), |record| {
            let mut record = record.unwrap_or_else(|| Record::new(identity.clone(), 1));
            record.note(&listing, 2);
            (Some(record), ())
        })
        .unwrap();
}

fn files(state: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> =
        fs::read_dir(state.join("pins")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn what_is_written_is_read_back() {
    let state = TempDir::new().unwrap();
    let store = PinStore::new(state.path());
    let identity = Identity::command(&["npx".to_owned(), "a b".to_owned()], Some("/srv"));
    assert_eq!(store.read(&identity).unwrap(), None);
    assert!(store.all().unwrap().is_empty());
    assert!(!state.path().join("pins").exists(), "reading creates nothing");
    note(&store, &identity, &[tool("a", "1"), tool("\u{1b}[31m\"", "x\u{0}")], false);
    note(&store, &identity, &[tool("a", "2"), tool("b", "1"), tool("c", "1"), tool("c", "2")], false);
    let record = store.read(&identity).unwrap().unwrap();
    let states: Vec<_> = record.tools.iter().map(|(name, pin)| (name.as_str(), pin.state())).collect();
    assert_eq!(
        states,
        [
            ("\u{1b}[31m\"", State::Removed),
            ("a", State::Changed),
            ("b", State::New),
            ("c", State::Conflicting)
        ]
    );
    assert_eq!(record.tools["a"].unaccepted.as_ref().unwrap().text, Some(tool("a", "2")));
    let all = store.all().unwrap();
    assert_eq!((all[0].id.clone(), all[0].record.as_ref().ok()), (identity.id(), Some(&record)));
    store.forget(&identity.id(), &forgetting()).unwrap();
    assert_eq!(store.read(&identity).unwrap(), None);
}

#[test]
fn only_the_owner_may_look() {
    let state = TempDir::new().unwrap();
    let folder = state.path().join("deep/state");
    let store = PinStore::new(&folder);
    note(&store, &Identity::url("http://a/"), &[tool("a", "1")], false);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(&folder.join("pins")), 0o700);
    for file in files(&folder) {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

#[test]
fn two_writers_lose_nothing() {
    let state = TempDir::new().unwrap();
    let identity = Identity::url("http://a/");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let (path, identity) = (state.path(), &identity);
            scope.spawn(move || {
                // A separate store, like that of another process.
                let store = PinStore::new(path);
                for n in 0..10 {
                    note(&store, identity, &[tool(&format!("t{writer}-{n}"), "1")], true);
                }
            });
        }
    });
    let record = PinStore::new(state.path()).read(&identity).unwrap().unwrap();
    assert_eq!(record.tools.len(), 40);
    assert_eq!(files(state.path()).len(), 2, "the record and the lock");
}

#[test]
fn a_file_that_a_crash_left_behind_does_no_harm() {
    let state = TempDir::new().unwrap();
    let store = PinStore::new(state.path());
    let identity = Identity::url("http://a/");
    note(&store, &identity, &[tool("a", "1")], false);
    let record = files(state.path()).into_iter().find(|path| path.extension().is_some()).unwrap();
    fs::write(record.with_extension("new"), "{ torn").unwrap();
    note(&store, &identity, &[tool("a", "2")], false);
    assert_eq!(store.read(&identity).unwrap().unwrap().tools["a"].state(), State::Changed);
    assert_eq!(store.all().unwrap().len(), 1);
}

#[test]
fn a_broken_file_is_reported_and_stays() {
    let state = TempDir::new().unwrap();
    let store = PinStore::new(state.path());
    let identity = Identity::url("http://a/");
    note(&store, &identity, &[tool("a", "1")], false);
    let path = files(state.path()).into_iter().find(|path| path.extension().is_some()).unwrap();
    let good = fs::read_to_string(&path).unwrap();
    let other = {
        let other = TempDir::new().unwrap();
        note(&PinStore::new(other.path()), &Identity::url("http://b/"), &[tool("a", "1")], false);
        fs::read_to_string(files(other.path()).iter().find(|path| path.extension().is_some()).unwrap())
            .unwrap()
    };
    let huge = format!("{good}{}", " ".repeat(17 << 20));
    for (broken, why) in [
        ("", ""),
        (&good[..good.len() - 1], ""),
        (&good.replace("\"version\":2", "\"version\":3"), "a later version of Overt"),
        (&good.replace("\"version\":2", "\"version\":0"), "not a format version that Overt knows"),
        (&good.replace("\\\"1\\\"", "\\\"2\\\""), "doesn't have the digest"),
        (&good.replace("\"firstSeen\":1", "\"firstSeen\":-1"), "firstSeen"),
        (&good.replace("\"accepted\"", "\"neither\""), "neither"),
        (&other, "another server"),
        (&huge, "16 MiB"),
    ] {
        fs::write(&path, broken).unwrap();
        let error = store.read(&identity).unwrap_err();
        let cause = std::error::Error::source(&error).unwrap().to_string();
        assert!(cause.contains(why), "{cause}");
        let changed = store.decide(&deciding(&identity), |_| (Some(Record::new(identity.clone(), 9)), ()));
        assert!(changed.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), *broken, "it is never replaced");
        assert!(store.all().unwrap()[0].record.is_err());
    }
    store.forget(&identity.id(), &forgetting()).unwrap();
    assert_eq!(store.read(&identity).unwrap(), None);
}

#[test]
fn decisions_survive() {
    let state = TempDir::new().unwrap();
    let store = PinStore::new(state.path());
    let identity = Identity::url("http://a/");
    note(&store, &identity, &[tool("a", "1")], false);
    note(&store, &identity, &[tool("a", "2")], false);
    let decide = |decision| {
        store
            .decide(&deciding(&identity), |record| {
                let mut record = record.unwrap();
                let digest = record.tools["a"].unaccepted.as_ref().unwrap().digest;
                record.show("a", digest);
                record.decide("a", decision, 5).unwrap();
                (Some(record), ())
            })
            .unwrap();
        store.read(&identity).unwrap().unwrap().tools.remove("a").unwrap()
    };
    let kept = decide(Decision::Keep);
    assert_eq!((kept.state(), kept.kept, kept.shown), (State::Accepted, 1, None));
    note(&store, &identity, &[tool("a", "2")], false);
    let accepted = decide(Decision::Accept);
    assert_eq!((accepted.state(), accepted.accepted_at), (State::Accepted, 5));
    assert_eq!(accepted.accepted.unwrap().text, Some(tool("a", "2")));
}
