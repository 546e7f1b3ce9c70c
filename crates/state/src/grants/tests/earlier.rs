//! Stores that earlier versions wrote. The last version with format 2 wrote
//! `fixtures/version-2.db`. It holds lasting grants (one given in advance, one with an expiry), a
//! grant for a session, a grant for one call, two decisions about trust, and a question with its
//! review.
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::probe::Probe as _;
use super::*;

const VERSION_2: &[u8] = include_bytes!("fixtures/version-2.db");

/// The tables of version 1.
const VERSION_1: &str = "
CREATE TABLE counters (name TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO counters VALUES ('changes', 3), ('grants', 7), ('questions', 2);
CREATE TABLE grants (
  n INTEGER PRIMARY KEY,
  principal TEXT NOT NULL, session TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL,
  scopes TEXT NOT NULL, lasts TEXT NOT NULL, arguments TEXT, expires INTEGER, given INTEGER NOT NULL, run TEXT
) STRICT;
CREATE INDEX grants_by_tool ON grants (principal, server, tool);
CREATE INDEX grants_by_run ON grants (run, session) WHERE run IS NOT NULL;
CREATE INDEX grants_by_end ON grants (expires) WHERE expires IS NOT NULL;
CREATE TABLE questions (
  n INTEGER PRIMARY KEY,
  principal TEXT NOT NULL, session TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL,
  intent TEXT NOT NULL, reason TEXT NOT NULL, scopes TEXT NOT NULL, wider TEXT NOT NULL,
  arguments TEXT NOT NULL, shown TEXT NOT NULL, until INTEGER NOT NULL, asked INTEGER NOT NULL,
  answer TEXT, waiting INTEGER NOT NULL, run TEXT NOT NULL
) STRICT;
CREATE TABLE never (session TEXT PRIMARY KEY, run TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO grants VALUES
  (7, 'ada', '', 'files', 'write', 'write:file:/a', 'always', NULL, NULL, 900000, NULL),
  (6, 'ada', 's', 'files', 'write', 'write:file:/b', 'session', NULL, NULL, 900000, 'a-run-that-is-gone');
INSERT INTO questions VALUES
  (2, 'ada', 's', 'files', 'write', 'Write', 'why', 'write:file:/b', '', 'digest', '{}', 2000000, 900000, NULL, 1, 'gone');
PRAGMA user_version = 1;
";

fn place(folder: &Path, bytes: &[u8]) {
    let file = folder.join("grants/grants.db");
    std::fs::create_dir(folder.join("grants")).unwrap();
    std::fs::write(&file, bytes).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
}

fn version(folder: &Path) -> i64 {
    let db = rusqlite::Connection::open(folder.join("grants/grants.db")).unwrap();
    db.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
}

/// An old grant named neither a project nor the program that ran. Keeping it would allow more than
/// the person said.
#[test]
fn a_10_what_lasted_in_version_2_ends_and_is_told_once() {
    let (dir, time) = (tempfile::tempdir().unwrap(), Arc::new(AtomicU64::new(NOW)));
    place(dir.path(), VERSION_2);
    let store = process(dir.path(), &time);
    assert_eq!(store.grants().unwrap(), []);
    assert_eq!(store.questions().unwrap(), []);
    assert_eq!(store.trusted().unwrap(), []);
    let other = process(dir.path(), &time);
    assert_eq!(store.take_ended().unwrap(), Some(EndedDecisions { grants: 3, trust: 2 }));
    assert_eq!((store.take_ended().unwrap(), other.take_ended().unwrap()), (None, None), "it is told once");
    assert_eq!(asked(&store).0, "q-2", "names go on where version 2 was");
    let given = give(&store, &holder("s"), terms(GrantLifetime::Always)).unwrap();
    assert_eq!(given.id.0, "g-6");
    drop((store, other));
    assert_eq!(version(dir.path()), 7);
    let again = process(dir.path(), &time);
    assert_eq!(again.grants().unwrap(), [given], "it opens again, and what is new lasts");
}

#[test]
fn a_10_what_lasted_in_version_1_ends_too() {
    let (dir, time) = (tempfile::tempdir().unwrap(), Arc::new(AtomicU64::new(NOW)));
    place(dir.path(), b"");
    let old = rusqlite::Connection::open(dir.path().join("grants/grants.db")).unwrap();
    old.execute_batch(VERSION_1).unwrap();
    drop(old);
    let store = process(dir.path(), &time);
    assert_eq!(store.grants().unwrap(), []);
    assert_eq!(store.take_ended().unwrap(), Some(EndedDecisions { grants: 1, trust: 0 }));
    assert_eq!(asked(&store).0, "q-3", "names go on where version 1 was");
    assert_eq!(give(&store, &holder("s"), terms(GrantLifetime::Session)).unwrap().id.0, "g-8");
    drop(store);
    assert_eq!(version(dir.path()), 7);
}

#[test]
fn a_new_store_has_nothing_to_tell() {
    let (_dir, _time, one, _other) = two();
    assert_eq!(one.take_ended().unwrap(), None);
}

#[test]
fn grants_of_one_project_do_not_hold_in_another() {
    let (_dir, _time, one, other) = two();
    let given = give(&one, &holder("s"), terms(GrantLifetime::Always)).unwrap();
    let (ada, scopes) = (holder("t"), [scope("write:file:/a/b")]);
    let here = need(&ada, "write", &scopes, "x");
    for (project, found) in
        [(Some("/site"), true), (Some("/other"), false), (Some("/site/"), false), (None, false)]
    {
        let need = Need { project, ..here };
        assert_eq!(other.covering(&need).is_some(), found, "{project:?}");
        assert_eq!(other.of_token(&one.token(&given), &need).is_some(), found, "{project:?}");
    }
    give(&one, &holder("s"), Terms { project: None, ..terms(GrantLifetime::Always) }).unwrap();
    for project in [Some("/other"), None] {
        assert!(other.covering(&Need { project, ..here }).is_some(), "{project:?}");
    }
}

/// Another process reads the newer kinds of grants back unchanged.
#[test]
fn grants_for_several_tools_and_refusals_are_kept() {
    let (_dir, _time, one, other) = two();
    let (ada, scopes) = (holder("s"), [scope("execute:files:other")]);
    let wanted = Need { tool: "other", ..need(&ada, "other", &scopes, "x") };
    assert!(other.covering(&wanted).is_none());
    let wide = Terms {
        tools: GrantedTools::Every,
        scopes: overt_layers::grants::every_scope(),
        client: Some("Cursor 1.2".to_owned()),
        tool_digest: Some("all".to_owned()),
        ..terms(GrantLifetime::Always)
    };
    let given = give(&one, &holder("s"), wide.clone()).unwrap();
    assert_eq!(other.covering(&wanted).map(|grant| grant.id), Some(given.id.clone()));
    assert_eq!(give(&one, &holder("s"), wide).unwrap(), given, "the same twice is one grant");
    assert!(other.covering(&Need { server_digest: "changed", ..wanted }).is_none());
    let never = Terms {
        verdict: GrantVerdict::Refuse,
        tools: GrantedTools::One("other".to_owned()),
        scopes: scopes.to_vec(),
        ..terms(GrantLifetime::Always)
    };
    let refusal = give(&one, &holder("s"), never).unwrap();
    assert_eq!(other.refusing(&wanted), Some(refusal.clone()));
    assert_eq!(other.grants().unwrap(), [given, refusal.clone()]);
    assert!(revoke(&other, &refusal));
    assert_eq!(one.refusing(&wanted), None);
    let for_a_session = Terms { verdict: GrantVerdict::Refuse, ..terms(GrantLifetime::Session) };
    assert!(give(&one, &holder("s"), for_a_session).is_err());
}
