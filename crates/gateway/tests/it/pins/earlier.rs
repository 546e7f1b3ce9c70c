//! Files in version 1 of the format. The fixtures were written by the last version of Overt that
//! used it: a command with a relative path, a command with its own folder and tools that wait for a
//! decision, and an address.
use super::deciding;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use overt_gateway::pins::{Decision, Identity, PinGuard, PinMode, PinStore, State};
use overt_transport::client::{Command, Target};
use tempfile::TempDir;

/// A state folder with the files of version 1.
fn state() -> TempDir {
    let state = TempDir::new().unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/pins/fixtures/version-1/pins");
    fs::create_dir(state.path().join("pins")).unwrap();
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), state.path().join("pins").join(file.file_name())).unwrap();
    }
    state
}

/// The command as the current version identifies it: with the program that was found.
fn command(words: &[&str], found: &str, cwd: Option<&str>) -> Target {
    let args = words[1..].iter().map(Into::into).collect();
    let (found, cwd) = (Some(found.into()), cwd.map(Into::into));
    Target::Command(Command { found, args, cwd, ..Command::new(words[0]) })
}

fn guard(state: &TempDir, identity: &Identity) -> PinGuard {
    let report = Arc::new(|finding: &overt_gateway::pins::Finding| panic!("{finding}"));
    PinGuard::new(PinMode::Warn, PinStore::new(state.path()), identity.clone(), report)
}

fn states(state: &TempDir, identity: &Identity) -> Vec<(String, State)> {
    let record = PinStore::new(state.path()).read(identity).unwrap().unwrap();
    record.tools.iter().map(|(name, pin)| (name.clone(), pin.state())).collect()
}

#[test]
fn files_of_version_1_are_read() {
    let state = state();
    let store = PinStore::new(state.path());
    let all = store.all().unwrap();
    assert_eq!(all.len(), 3);
    for entry in &all {
        assert_eq!(entry.record.as_ref().unwrap().identity.id(), entry.id);
    }
    // An address is still the same server. Its next change is written in the new format.
    let url = Identity::url("https://example.com/mcp");
    assert_eq!(states(&state, &url), [("a".to_owned(), State::Accepted)]);
    store.decide(&deciding(&url), |record| (record, ())).unwrap();
    assert_eq!(states(&state, &url), [("a".to_owned(), State::Accepted)]);
}

#[test]
fn the_first_directory_of_a_command_takes_over_what_was_remembered() {
    let state = state();
    let target = command(&["sh", "./server.sh"], "/bin/sh", None);
    let here = Identity::of(&target, Some(Path::new("/home/ada/site")));
    let there = Identity::of(&target, Some(Path::new("/home/ada/other")));
    guard(&state, &here);
    assert_eq!(states(&state, &here), [("a".to_owned(), State::Accepted), ("b".to_owned(), State::Accepted)]);
    guard(&state, &there);
    assert_eq!(PinStore::new(state.path()).read(&there).unwrap(), None, "there it is another server");
    assert_eq!(PinStore::new(state.path()).all().unwrap().len(), 3, "the file of version 1 is gone");
}

#[test]
fn what_waited_for_a_person_still_does() {
    let state = state();
    let target = command(&["npx", "-y", "files server"], "/usr/bin/npx", Some("/srv"));
    let identity = Identity::of(&target, Some(Path::new("/home/ada/site")));
    guard(&state, &identity);
    let expected = [("a", State::Changed), ("b", State::Accepted), ("c", State::New)];
    assert_eq!(states(&state, &identity), expected.map(|(name, state)| (name.to_owned(), state)));
    let accept = PinStore::new(state.path()).decide(&deciding(&identity), |record| {
        let mut record = record.unwrap();
        // Accepting works: the definition that was shown is the one that is accepted.
        let accepted = record.decide("a", Decision::Accept, 9);
        (Some(record), accepted)
    });
    assert_eq!(accept.unwrap(), Ok(()));
    assert_eq!(states(&state, &identity)[0].1, State::Accepted);
}
