//! Transcripts of an upstream with tasks, requests for scopes and forged marks behind `overt run`:
//! in both eras, over both transports. The upstream is the evil server.
use overt_testkit::link::Transport;
use overt_testkit::transcript::Player;
use overt_wire::era::Era;

use super::kit::{EVIL, overt_words};
use crate::servers::{PROGRAM, by_name};
use crate::transcripts::read_cases;

async fn play(wanted: Era, is_http: bool) {
    let player = Player::new(PROGRAM, |_| by_name("bare"));
    let (mut played, mut failed) = (0, Vec::new());
    for case in read_cases("behind") {
        let can_play = if is_http { case.http } else { case.lines };
        if !case.eras.contains(&wanted) || !can_play {
            continue;
        }
        // Allow what the tools themselves need: these cases test everything else.
        let front: &[&str] = if is_http { &["--http", "127.0.0.1:0"] } else { &[] };
        let (program, words) = overt_words(
            &[&["run", "--allow", "execute", "--trust-quick-answers"], front, &["--", EVIL, "--stdio"]]
                .concat(),
        );
        let over = if is_http { Transport::Web(program, words) } else { Transport::Command(program, words) };
        played += 1;
        if let Err(problem) = player.play(&case, wanted, &over).await {
            failed.push(format!("{}\n  {problem}", case.title));
        }
    }
    assert!(failed.is_empty(), "{} of {played} went wrong:\n\n{}", failed.len(), failed.join("\n\n"));
    assert!(played >= 6, "only {played} cases were found");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_17_h_23_up_07_over_stdio_in_the_older_era() {
    play(Era::Legacy, false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_17_h_23_up_07_over_stdio_in_the_newer_era() {
    play(Era::Modern, false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_17_h_23_up_07_over_http_in_the_older_era() {
    play(Era::Legacy, true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_17_h_23_up_07_over_http_in_the_newer_era() {
    play(Era::Modern, true).await;
}
