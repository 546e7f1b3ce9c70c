//! `overt pins`: what was seen, what differs, and the decisions about it.
use super::transcript::Transcript;
use crate::environment::TestEnvironment;
use crate::pins::{eventful, files};

#[test]
fn pins() {
    let mut transcript = Transcript::default();
    for words in [&["list"][..], &["diff"], &["accept", "--all"]] {
        transcript.run(&mut TestEnvironment::new().command(&[&["pins"], words].concat()));
    }
    let state = eventful();
    let id = files().id();
    for words in [
        &["list"][..],
        &["list", "nothing"],
        &["diff"],
        &["diff", &id, "read"],
        &["diff", &id, "raed"],
        &["accept", &id, "read"],
        &["accept", &id, "raed"],
        &["keep", &id, "write"],
        &["keep", &id, "--all"],
        &["accept", "--all"],
        &["forget"],
        &["forget", &id],
        &["list"],
    ] {
        transcript.run(&mut state.command(&[&["pins"], words].concat()));
    }
    state.breaks();
    transcript.run(&mut state.command(&["pins", "list"]));
    transcript.run(&mut state.command(&["pins", "diff"]));
    transcript.matches("pins");
}
