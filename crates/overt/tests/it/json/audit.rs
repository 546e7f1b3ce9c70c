//! `overt audit`: logs that are whole, several, cut and broken.
use super::transcript::Transcript;
use crate::audit::State;

#[test]
fn records_and_checks() {
    let state = State::new();
    let mut transcript = Transcript::default();
    for words in [
        &["query"][..],
        &["query", "--all"],
        &["query", "--all", "--oldest", "--limit", "2"],
        &["query", "--limit", "1"],
        &["query", "--kind", "approval"],
        &["query", "--no-index", "--call", "c1"],
        &["query", "--kind", "intend"],
        &["query", "other"],
        &["verify"],
        &["verify", "others"],
        &["key"],
        &["export"],
        &["export", "--as", "csv"],
    ] {
        transcript.run(&mut state.command(words));
    }
    let anchors = state.path("anchors.jsonl");
    transcript.run(&mut state.command(&["verify", "--anchor", anchors.to_str().unwrap()]));
    transcript.matches("audit");
}

#[test]
fn several_logs() {
    let state = State::new().and_another();
    let mut transcript = Transcript::default();
    for words in [
        &["query"][..],
        &["query", "--all", "--limit", "3"],
        &["query", "--after", "3"],
        &["query", "mail"],
        &["verify"],
        &["export", "--kind", "deny"],
    ] {
        transcript.run(&mut state.command(words));
    }
    transcript.matches("audit_several");
}

#[test]
fn broken_logs() {
    let state = State::new().and_another();
    let text = std::fs::read_to_string(state.segment()).unwrap();
    std::fs::write(state.segment(), format!("{text}{{\"half")).unwrap();
    let mut transcript = Transcript::default();
    transcript.run(&mut state.command(&["verify", "files"]));
    std::fs::write(state.segment(), text.replacen("edit_file", "read_file", 1)).unwrap();
    transcript.run(&mut state.command(&["verify"]));
    std::fs::remove_dir_all(state.path("audit/mail")).unwrap();
    transcript.run(&mut state.command(&["verify"]));
    std::fs::remove_file(state.segment()).unwrap();
    transcript.run(&mut state.command(&["verify"]));
    transcript.run(&mut state.command(&["query"]));
    transcript.matches("audit_broken");
}
