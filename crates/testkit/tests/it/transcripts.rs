//! Plays every transcript over every transport and in every era that it supports.
use std::path::{Path, PathBuf};

use overt_testkit::link::Transport;
use overt_testkit::transcript::{Case, Player, read};
use overt_wire::era::Era;

use crate::servers::{PROGRAM, by_name};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_memory() {
    play_all(|_, over| *over == Transport::Memory).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_a_process() {
    play_all(|_, over| matches!(over, Transport::Process(_))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_legacy_http() {
    play_all(|era, over| era == Era::Legacy && *over == Transport::Http).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_modern_http() {
    play_all(|era, over| era == Era::Modern && *over == Transport::Http).await;
}

/// Plays the wanted cases and reports all failures at once.
async fn play_all(wanted: impl Fn(Era, &Transport) -> bool) {
    let player = Player::new(PROGRAM, by_name);
    let (mut played, mut failed) = (0, Vec::new());
    for case in read_cases("transcripts") {
        for (era, over) in player.ways(&case).into_iter().filter(|(era, over)| wanted(*era, over)) {
            played += 1;
            if let Err(problem) = player.play(&case, era, &over).await {
                failed.push(format!("{} ({era:?}, {over:?})\n  {problem}", case.title));
            }
        }
    }
    assert!(failed.is_empty(), "{} of {played} went wrong:\n\n{}", failed.len(), failed.join("\n\n"));
    assert!(played >= 20, "only {played} cases were found");
}

/// Returns all cases in a folder.
pub(crate) fn read_cases(folder: &str) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let cases = files.iter().flat_map(|file| {
        let name = file.file_name().unwrap().to_string_lossy();
        read(&name, &std::fs::read_to_string(file).unwrap()).unwrap()
    });
    cases.collect()
}
