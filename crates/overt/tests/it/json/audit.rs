//! `overt audit`: logs that are whole, several, cut and broken.
use super::transcript::Transcript;
use crate::audit::with_log;

#[test]
fn records_and_checks() {
    let state = with_log();
    let mut transcript = Transcript::default();
    for words in [
        &["query"][..],
        &["query", "--all"],
        &["query", "--all", "--oldest", "--limit", "2"],
        &["query", "--limit", "1"],
        &["query", "--kind", "approval"],
        &["query", "--call", "c1"],
        &["query", "--kind", "intend"],
        &["query", "other"],
        &["verify"],
        &["verify", "others"],
        &["key"],
        &["export"],
        &["export", "--as", "csv"],
    ] {
        transcript.run(&mut state.command(&[&["audit"], words].concat()));
    }
    let anchors = state.path("state/anchors.jsonl");
    transcript.run(&mut state.command(&["audit", "verify", "--anchor", anchors.to_str().unwrap()]));
    transcript.matches("audit");
}

#[test]
fn several_logs() {
    let state = with_log().and_another();
    let mut transcript = Transcript::default();
    for words in [
        &["query"][..],
        &["query", "--all", "--limit", "3"],
        &["query", "--after", "3"],
        &["query", "mail"],
        &["verify"],
        &["export", "--kind", "deny"],
    ] {
        transcript.run(&mut state.command(&[&["audit"], words].concat()));
    }
    transcript.matches("audit_several");
}

#[test]
fn broken_logs() {
    let state = with_log().and_another();
    let text = std::fs::read_to_string(state.segment()).unwrap();
    std::fs::write(state.segment(), format!("{text}{{\"half")).unwrap();
    let mut transcript = Transcript::default();
    transcript.run(&mut state.command(&["audit", "verify", "files"]));
    std::fs::write(state.segment(), text.replacen("edit_file", "read_file", 1)).unwrap();
    transcript.run(&mut state.command(&["audit", "verify"]));
    std::fs::remove_dir_all(state.path("state/audit/mail")).unwrap();
    transcript.run(&mut state.command(&["audit", "verify"]));
    std::fs::remove_file(state.segment()).unwrap();
    transcript.run(&mut state.command(&["audit", "verify"]));
    transcript.run(&mut state.command(&["audit", "query"]));
    transcript.matches("audit_broken");
}
