//! Two processes share one store: each sees the grants and answers of the other, and what belongs
//! to a process ends with it.
mod probe; // both stores behind one interface
mod machine; // both stores against a model, step by step
mod earlier; // stores of earlier versions
mod held; // another process holds the store
mod answers; // what an answer gives and ends, in both stores
mod clients; // the clients that are served now
mod trust; // trust in servers, and listeners

use overt_wire::Principal;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use overt_layers::grants::{
    Answer, AnswerOutcome, AskOutcome, Breadth, Broader, Clock, Extent, Grant, GrantLifetime, GrantVerdict,
    GrantedTools, Holder, HolderClient, Need, Question, QuestionDetails, QuestionId, QuestionKind,
    QuestionState, Review, StoreError, Terms,
};
use overt_policy::scope::Scope;
use overt_testkit::person::{answering, giving, revoking};
use tempfile::TempDir;

use self::probe::Probe as _;
use super::{EndedDecisions, SqliteStore};

const NOW: u64 = 1_000_000;

fn scope(text: &str) -> Scope {
    Scope::parse(text).unwrap()
}

fn holder(session: &str) -> Holder {
    Holder { principal: Principal::token_holder("ada"), client: HolderClient::from_text(session.to_owned()) }
}

fn terms(lifetime: GrantLifetime) -> Terms {
    Terms {
        server: "files".to_owned(),
        project: Some("/site".to_owned()),
        verdict: GrantVerdict::Allow,
        client: None,
        tools: GrantedTools::One("write".to_owned()),
        tool_digest: None,
        scopes: vec![scope("write:file:/a")],
        lifetime,
        arguments: (lifetime == GrantLifetime::Once).then(|| "digest".to_owned()),
        plan: None,
        expires: None,
    }
}

fn question() -> Question {
    Question {
        holder: holder("s"),
        server: "files".to_owned(),
        project: Some("/site".to_owned()),
        tool: "write".to_owned(),
        tool_digest: "definition".to_owned(),
        kind: QuestionKind::Call,
        scopes: vec![scope("write:file:/a/b")],
        wider: vec![scope("write:file:/a")],
        broader: Broader::default(),
        arguments: "digest".to_owned(),
        plan: None,
        shown: QuestionDetails {
            intent: "Write `/a/b`".to_owned(),
            reason: "no grant covers it".to_owned(),
            arguments_json: "{\"path\": \"/a/b\"}".to_owned(),
            ..QuestionDetails::default()
        },
        until: NOW + 45,
    }
}

fn covering(store: &SqliteStore, session: &str, scope_text: &str, arguments: &str) -> Option<Grant> {
    let (holder, scopes) = (holder(session), [scope(scope_text)]);
    store.covering(&need(&holder, "write", &scopes, arguments))
}

fn need<'a>(holder: &'a Holder, tool: &'a str, scopes: &'a [Scope], arguments: &'a str) -> Need<'a> {
    Need {
        holder,
        server: "files",
        project: Some("/site"),
        tool,
        tool_digest: "definition",
        server_digest: "all",
        only_reads: false,
        scopes,
        arguments,
        plan: None,
        each_time: false,
    }
}

/// Opens the store as another process would, with a clock that the test sets.
fn process(state: &Path, time: &Arc<AtomicU64>) -> SqliteStore {
    let time = Arc::clone(time);
    SqliteStore::open_with(state, Clock::of(move || time.load(Ordering::Relaxed))).unwrap()
}

fn two() -> (TempDir, Arc<AtomicU64>, SqliteStore, SqliteStore) {
    let (dir, time) = (tempfile::tempdir().unwrap(), Arc::new(AtomicU64::new(NOW)));
    let (one, other) = (process(dir.path(), &time), process(dir.path(), &time));
    (dir, time, one, other)
}

fn asked(store: &SqliteStore) -> QuestionId {
    match store.ask(&question(), None).unwrap() {
        AskOutcome::Open(id) => id,
        other => panic!("{other:?}"),
    }
}

fn give(store: &SqliteStore, holder: &Holder, terms: Terms) -> Result<Grant, StoreError> {
    store.give(&giving(holder, terms)).map(|given| given.grant)
}

fn revoke(store: &SqliteStore, grant: &Grant) -> bool {
    store.revoke(&revoking(grant)).unwrap()
}

fn decide(store: &SqliteStore, id: &QuestionId, answer: Answer) -> AnswerOutcome {
    store.answer(&answering(id, &question(), answer)).unwrap()
}

/// Takes the answer to a question, as a waiting call does.
fn taken(store: &SqliteStore, id: &QuestionId) -> Option<Answer> {
    match store.take_answer(id).unwrap() {
        QuestionState::Answered(answer, _) => Some(answer),
        _ => None,
    }
}

const YES: Answer = Answer::Yes {
    lifetime: GrantLifetime::Always,
    extent: Extent::Project,
    breadth: Breadth::Folder,
    expires: Some(NOW + 9),
};

#[test]
fn scp_12_what_lasts_is_there_after_a_restart_with_the_same_end() {
    let (dir, time, one, other) = two();
    let given =
        give(&one, &holder("s"), Terms { expires: Some(NOW + 60), ..terms(GrantLifetime::Always) }).unwrap();
    assert_eq!(covering(&other, "t", "write:file:/a/b", "x"), Some(given.clone()));
    let token = one.token(&given);
    drop((one, other));
    let again = process(dir.path(), &time);
    assert_eq!(again.grants().unwrap(), std::slice::from_ref(&given));
    let (ada, scopes) = (holder("new"), [scope("write:file:/a/b")]);
    let need = need(&ada, "write", &scopes, "x");
    assert_eq!(again.of_token(&token, &need), Some(given));
    time.store(NOW + 60, Ordering::Relaxed);
    assert_eq!(covering(&again, "t", "write:file:/a/b", "x"), None);
    assert!(again.grants().unwrap().is_empty() && again.of_token(&token, &need).is_none());
}

#[test]
fn scp_12_what_holds_for_a_session_ends_with_it_and_with_its_process() {
    let (dir, time, one, other) = two();
    for lifetime in [GrantLifetime::Once, GrantLifetime::Session] {
        let grant = give(&one, &holder("s"), terms(lifetime)).unwrap();
        assert_eq!(covering(&one, "s", "write:file:/a", "digest"), Some(grant.clone()));
        assert_eq!(covering(&one, "t", "write:file:/a", "digest"), None, "another session");
        assert_eq!(covering(&other, "s", "write:file:/a", "digest"), None, "another process");
        assert!(!other.spend_grant(&grant));
        assert_eq!(other.grants().unwrap(), [grant], "but everybody can see it");
        one.session_ended(&holder("t")).unwrap();
        assert!(covering(&one, "s", "write:file:/a", "digest").is_some());
        one.session_ended(&holder("s")).unwrap();
        assert_eq!(covering(&one, "s", "write:file:/a", "digest"), None);
        assert!(one.grants().unwrap().is_empty());
    }
    give(&one, &holder("s"), terms(GrantLifetime::Session)).unwrap();
    asked(&one);
    drop(one);
    assert!(other.grants().unwrap().is_empty() && other.questions().unwrap().is_empty());
    assert_eq!(covering(&process(dir.path(), &time), "s", "write:file:/a", "digest"), None);
}

#[test]
fn scp_04_a_grant_for_one_call_is_spent_once() {
    let (_dir, _time, one, other) = two();
    let grant = give(&one, &holder("s"), terms(GrantLifetime::Once)).unwrap();
    assert_eq!(covering(&one, "s", "write:file:/a", "other arguments"), None);
    let spent = std::thread::scope(|scope| {
        let tries: Vec<_> = (0..8).map(|_| scope.spawn(|| one.spend_grant(&grant))).collect();
        tries.into_iter().map(|spend| usize::from(spend.join().unwrap())).sum::<usize>()
    });
    assert_eq!(spent, 1);
    assert_eq!(covering(&one, "s", "write:file:/a", "digest"), None);
    let lasting = give(&other, &holder("s"), terms(GrantLifetime::Always)).unwrap();
    assert!(one.spend_grant(&lasting) && one.spend_grant(&lasting));
}

#[test]
fn what_one_process_takes_back_is_gone_for_the_next_decision_of_another() {
    let (_dir, _time, one, other) = two();
    let grant = give(&one, &holder("s"), terms(GrantLifetime::Always)).unwrap();
    assert!(covering(&one, "s", "write:file:/a", "x").is_some());
    assert!(revoke(&other, &grant) && !revoke(&other, &grant));
    assert_eq!(covering(&one, "s", "write:file:/a", "x"), None);
    assert!(!one.spend_grant(&grant) && !revoke(&one, &grant));
    let again = give(&other, &holder("s"), terms(GrantLifetime::Always)).unwrap();
    assert_ne!(again.id, grant.id, "a name is never used twice");
    assert_eq!(covering(&one, "s", "write:file:/a", "x"), Some(again.clone()));
    assert_eq!(
        give(&one, &holder("t"), terms(GrantLifetime::Always)).unwrap(),
        again,
        "the same twice is the same"
    );
}

#[test]
fn scp_04_a_token_is_worth_nothing_for_anything_else() {
    let (dir, time, one, _) = two();
    let grant =
        give(&one, &holder("s"), Terms { expires: Some(NOW + 9), ..terms(GrantLifetime::Once) }).unwrap();
    let token = one.token(&grant);
    let check =
        |store: &SqliteStore, token: &str, who: &Holder, tool: &str, wanted: &str, arguments: &str| {
            let scopes = [scope(wanted)];
            store.of_token(token, &need(who, tool, &scopes, arguments)).is_some()
        };
    let (ada, path) = (holder("s"), "write:file:/a");
    assert!(token.starts_with("v1.") && check(&one, &token, &ada, "write", path, "digest"));
    let eve = Holder { principal: Principal::token_holder("eve"), ..holder("s") };
    for (who, tool, wanted, arguments) in [
        (&eve, "write", path, "digest"),
        (&holder("t"), "write", path, "digest"),
        (&ada, "remove", path, "digest"),
        (&ada, "write", "write:file:/ab", "digest"),
        (&ada, "write", path, "other"),
    ] {
        assert!(!check(&one, &token, who, tool, wanted, arguments));
    }
    for at in 0..token.len() {
        for bit in 0..8 {
            let mut bytes = token.clone().into_bytes();
            bytes[at] ^= 1 << bit;
            let changed = String::from_utf8_lossy(&bytes);
            assert!(!check(&one, &changed, &ada, "write", path, "digest"), "byte {at} bit {bit}");
        }
    }
    assert!(!check(&one, &format!("{token}A"), &ada, "write", path, "digest"));
    assert!(!check(&one, &token[..token.len() - 1], &ada, "write", path, "digest"));
    time.store(NOW + 9, Ordering::Relaxed);
    assert!(!check(&one, &token, &ada, "write", path, "digest"), "it is over");
    time.store(NOW, Ordering::Relaxed);
    assert!(one.spend_grant(&grant));
    assert!(!check(&one, &token, &ada, "write", path, "digest"), "it is spent");

    let lasting = give(&one, &ada, terms(GrantLifetime::Always)).unwrap();
    let token = one.token(&lasting);
    std::fs::remove_file(dir.path().join("grants/key")).unwrap();
    let other_key = process(dir.path(), &time);
    assert!(!check(&other_key, &token, &ada, "write", path, "digest"), "another key");
    assert!(check(&one, &token, &ada, "write", path, "digest"));
    revoke(&one, &lasting);
    assert!(!check(&one, &token, &ada, "write", path, "digest"), "it was taken back");
}

#[test]
fn an_answer_from_another_process_is_seen() {
    let (_dir, time, one, other) = two();
    let id = asked(&one);
    assert_eq!(one.question_state(&id).unwrap(), QuestionState::Open);
    let shown = other.questions().unwrap();
    assert_eq!(shown.iter().map(|open| (&open.id, &open.question)).collect::<Vec<_>>(), [(&id, &question())]);
    let outcome = decide(&other, &id, YES);
    let AnswerOutcome::Taken(Some(given)) = outcome else { panic!("{outcome:?}") };
    assert_eq!(one.grants().unwrap(), [given.grant], "the answer gave it");
    assert!(other.questions().unwrap().is_empty());
    assert_eq!(one.question_state(&id).unwrap(), QuestionState::Answered(YES, Some(given.token)));
    assert_eq!(taken(&one, &id), Some(YES));
    assert_eq!(decide(&other, &id, Answer::No), AnswerOutcome::Gone);
    assert_ne!(asked(&one), id, "a name is never used twice");

    let id = asked(&one);
    time.store(NOW + 45, Ordering::Relaxed);
    assert_eq!(decide(&other, &id, YES), AnswerOutcome::Gone);
    assert_eq!(taken(&one, &id), None);
    assert_eq!(decide(&other, &QuestionId("q-01".to_owned()), YES), AnswerOutcome::Gone);
}

#[test]
fn scp_10_a_session_told_never_from_another_process_asks_no_more() {
    let (_dir, _time, one, other) = two();
    let id = asked(&one);
    assert_eq!(decide(&other, &id, Answer::NoThisSession), AnswerOutcome::Taken(None));
    assert_eq!(taken(&one, &id), Some(Answer::NoThisSession));
    assert_eq!(one.ask(&question(), None).unwrap(), AskOutcome::Never);
    assert_eq!(other.grants().unwrap(), []);
    assert_eq!(one.ask(&question(), None).unwrap(), AskOutcome::Never, "the process still runs");
    one.session_ended(&holder("s")).unwrap();
    asked(&one);
}

#[test]
fn only_the_owner_can_read_or_write_the_files() {
    let (dir, time, one, _) = two();
    give(&one, &holder("s"), terms(GrantLifetime::Always)).unwrap();
    let folder = dir.path().join("grants");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for name in ["grants.db", "grants.db-wal", "grants.db-shm", "key"] {
        assert_eq!(mode(&folder.join(name)), 0o600, "{name}");
    }
    for name in ["grants.db", "key"] {
        let path = folder.join(name);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o620)).unwrap();
        let error = SqliteStore::open(dir.path()).unwrap_err();
        assert!(error.why.ends_with("(mode 620); make it 600"), "{error}");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    drop(one);
    process(dir.path(), &time);
    assert_eq!(SqliteStore::open_if_there(&dir.path().join("none")).unwrap().map(drop), None);
    assert!(!dir.path().join("none").exists());
}

#[test]
fn a_file_of_a_later_version_is_left_alone() {
    let (dir, _time, one, _) = two();
    drop(one);
    let db = rusqlite::Connection::open(dir.path().join("grants/grants.db")).unwrap();
    db.pragma_update(None, "user_version", 7).unwrap();
    let error = SqliteStore::open(dir.path()).unwrap_err();
    assert!(error.why.contains("format 7"), "{error}");
}

#[test]
fn aud_06_what_was_forgotten_is_not_in_the_file_either() {
    let (dir, _time, one, other) = two();
    let canary = "CANARY".repeat(20);
    let shown = QuestionDetails { arguments_json: canary.clone(), ..QuestionDetails::default() };
    let secret = Question { shown, ..question() };
    let review = Review { diff: canary.clone(), page: canary.clone() };
    let AskOutcome::Open(id) = one.ask(&secret, Some(&review)).unwrap() else { panic!("it is not asked") };
    assert_eq!(decide(&one, &id, Answer::No), AnswerOutcome::Taken(None));
    assert_eq!(taken(&one, &id), Some(Answer::No));
    drop((one, other));
    for file in std::fs::read_dir(dir.path().join("grants")).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            assert!(!bytes.windows(canary.len()).any(|part| part == canary.as_bytes()), "{path:?}");
        }
    }
}

/// Processes that read questions and a server that creates the store don't block each other.
#[test]
fn several_may_open_a_store_that_is_not_there_yet() {
    for _ in 0..300 {
        let place = TempDir::new().unwrap();
        let is_open = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while !is_open.load(Ordering::Relaxed) {
                        drop(SqliteStore::open_if_there(place.path()).unwrap());
                    }
                });
            }
            let opened = SqliteStore::open(place.path()).and_then(|store| store.grants());
            is_open.store(true, Ordering::Relaxed);
            assert_eq!(opened.unwrap(), []);
        });
    }
}
