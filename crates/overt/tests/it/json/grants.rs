//! `overt grants` and `overt trust`: questions, answers and decisions.
use overt_layers::grants::{Holder, Question};

use super::transcript::Transcript;
use crate::environment::TestEnvironment;
use crate::grants::{holder, write_a_file};
use crate::grants_advance::remembered;
use crate::grants_show::planned;
use crate::trust::how_far;

const MEMORY: &str = "memory#0a1b2c3d";

fn transcript(state: &TestEnvironment, commands: &[&[&str]]) -> Transcript {
    let mut transcript = Transcript::default();
    for words in commands {
        transcript.run(&mut state.command(words));
    }
    transcript
}

#[test]
fn questions_and_answers() {
    let state = TestEnvironment::new();
    planned(&state);
    let mut bare = Question { project: None, tool_digest: String::new(), ..write_a_file() };
    (bare.wider, bare.arguments) = (Vec::new(), "other".to_owned());
    (bare.shown.client, bare.shown.description) = (None, None);
    bare.shown.title = Some("Write".to_owned());
    bare.shown.plan_failure = Some("it has no plan".to_owned());
    bare.holder = Holder::session(bare.holder.principal, "another session");
    let id = state.waits(&bare);
    state.store.leave(&id).unwrap();
    state.waits(&how_far(Some("/")));
    for arguments in ["3", "4", "5", "6"] {
        state.waits(&Question { arguments: arguments.to_owned(), ..write_a_file() });
    }
    transcript(
        &state,
        &[
            &["grants", "pending"],
            &["grants", "show", "q-1"],
            &["grants", "show", "q-2"],
            &["grants", "show", "q-3"],
            &["grants", "show", "q-99"],
            &["grants", "allow", "q-1"],
            &["grants", "allow", "q-4", "--session", "--wider"],
            &["grants", "allow", "q-5", "--for", "8h"],
            &["grants", "deny", "q-6"],
            &["grants", "deny", "q-7", "--never"],
            &["grants", "allow", "q-3"],
            &["grants", "allow", "q-1", "q-99"],
            &["trust", "notes#0a1b2c3d", "--project", "/"],
            &["grants", "pending"],
        ],
    )
    .matches("questions");
}

#[test]
fn grants_given_in_advance() {
    let state = TestEnvironment::new();
    remembered(&state);
    transcript(
        &state,
        &[
            &["grants", "list"],
            &["grants", "pending"],
            &["grants", "allow", "write_file", "--server", MEMORY, "--project", "."],
            &["grants", "allow", "create_entities", "--everywhere", "--for", "8h"],
            &["grants", "allow", "read_file", "--server", "overt-fs", "--folder", ".", "--project", "."],
            &[
                "grants",
                "allow",
                "--tool",
                "x",
                "--server",
                MEMORY,
                "--scope",
                "write:file:/srv",
                "--everywhere",
            ],
            &["grants", "deny", "delete", "--server", MEMORY, "--project", "."],
            &["grants", "deny", "drop", "--server", MEMORY, "--everywhere"],
            &["grants", "allow", "search", "--everywhere"],
            &["grants", "allow", "serach", "--everywhere"],
            &["grants", "list"],
            &["grants", "revoke", "g-1", "g-5"],
            &["grants", "revoke", "g-1"],
            &["grants", "revoke", "--all"],
            &["grants", "revoke", "--all"],
            &["grants", "list"],
        ],
    )
    .matches("grants");
}

#[test]
fn grants_of_a_session() {
    let state = TestEnvironment::new();
    let question = write_a_file();
    let id = state.waits(&question);
    let answered = transcript(&state, &[&["grants", "allow", "q-1", "--session"]]);
    state.taken(&id);
    assert_eq!(question.holder, holder());
    answered.matches("grants_session_answer");
    transcript(&state, &[&["grants", "list"]]).matches("grants_session");
}

#[test]
fn trust() {
    let state = TestEnvironment::new();
    remembered(&state);
    transcript(
        &state,
        &[
            &["trust"],
            &["trust", "notes#0a1b2c3d", "--project", "/"],
            &["trust", "notes#0a1b2c3d", "nothing", "--no-project"],
            &["trust", "web-example", "everything", "--project", "."],
            &["trust", "--list"],
            &["trust", "notes", "--forget", "--project", "/"],
            &["trust", "notes", "--forget", "--project", "/"],
            &["trust", "nobody"],
            &["trust", "notes#0a1b2c3d", "some"],
            &["trust"],
        ],
    )
    .matches("trust");
}
