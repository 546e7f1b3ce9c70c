//! Plays every transcript of the example server through `overt run`: client and upstream in each
//! era, over each transport.
use std::sync::Arc;

use overt_testkit::link::Transport;
use overt_testkit::transcript::{Case, Player};
use overt_wire::era::Era;

use super::kit::overt_words;
use crate::servers::{PROGRAM, by_name};
use crate::transcripts::read_cases;

const NOT_LISTED: &str = "a newer upstream does not list what can be looked at, and tells of no change";

/// Cases with other outcomes when eras cross, by the start of their title or place, with the
/// reason.
const FROM_NEWER: &[(&str, &str)] = &[
    ("a sound for a client whose version has none", "the upstream speaks its own version, and knows sounds"),
    ("choices with titles in a version that wrote them in another way", "as above, for forms"),
    ("a client that can not be asked is not asked", "the newer era has an error for that"),
    ("a client that takes addresses only is sent no form", "the newer era has an error for that"),
    ("the client refuses a question", "the newer era has no way to refuse a question; the call fails"),
    ("a session hears of resources", "in the newer era nobody says whether a watched resource exists"),
    ("H-01, H-03 to H-05", NOT_LISTED),
    ("X-36: what can be looked at", NOT_LISTED),
    ("DESIGN 5.8", NOT_LISTED),
    ("H-04: a client that knows no links", "the upstream speaks its own version, and knows links"),
    ("X-02: both eras on one connection", "is about marks, which are not looked at here"),
];
/// Cases with other outcomes behind `overt run` in all eras.
const BEHIND: &[(&str, &str)] = &[(
    "H-02: a tool that only reads",
    "what a server says of its own effect is not enough to run a preview of it",
)];
const FROM_OLDER: &[(&str, &str)] = &[
    ("asking.txt", "an older upstream gives its questions no names; `tests/crossing` has these cases"),
    ("X-36: what can be looked at", "an older upstream lists what can be looked at"),
    ("a call becomes a task", "an older upstream has no tasks of the newer kind"),
    ("X-02: a request of the newer era needs no handshake", "a handle for the session comes with `discover`"),
    ("a result of the newer era says that it is complete", "a result of the older era may not be kept"),
];

/// Returns the transports for a case: lines and HTTP, as far as the case supports them.
fn ways(case: &Case, client: Era, upstream: Era) -> Vec<Transport> {
    let protocol: &[&str] = match (client, upstream) {
        (Era::Legacy, Era::Modern) => &["--protocol", "2026-07-28"],
        (Era::Modern, Era::Legacy) => &["--protocol", "2025-11-25"],
        // The server speaks both eras, and is used in the client's.
        _ => &[],
    };
    let run = |front: &[&str]| {
        overt_words(
            &[
                &["run", "--allow", "read", "--allow", "write", "--allow", "execute"],
                front,
                protocol,
                &["--", PROGRAM, "--stdio"],
            ]
            .concat(),
        )
    };
    let mut ways = Vec::new();
    if case.lines {
        let (program, words) = run(&[]);
        ways.push(Transport::Command(program, words));
    }
    if case.http {
        let (program, words) = run(&["--http", "127.0.0.1:0"]);
        ways.push(Transport::Web(program, words));
    }
    ways
}

async fn play(client: Era, upstream: Era) {
    let player = Player::new(PROGRAM, by_name).behind_overt();
    let from_newer = client == Era::Legacy && upstream == Era::Modern;
    let player = Arc::new(if from_newer { player.marked() } else { player });
    let (mut played, mut failed) = (0, Vec::new());
    let (otherwise, own) = match (client, upstream) {
        (Era::Legacy, Era::Modern) => (FROM_NEWER, Vec::new()),
        (Era::Modern, Era::Legacy) => (FROM_OLDER, read_cases("crossing")),
        _ => (&[][..], Vec::new()),
    };
    let is_otherwise = |case: &Case| {
        otherwise
            .iter()
            .chain(BEHIND)
            .any(|(part, _)| case.title.starts_with(part) || case.place.starts_with(part))
    };
    let wanted = |case: &Case| case.server == "example" && case.eras.contains(&client) && !is_otherwise(case);
    for case in read_cases("transcripts").into_iter().filter(wanted).chain(own) {
        for over in ways(&case, client, upstream) {
            played += 1;
            let transport = if matches!(over, Transport::Web(..)) { "http" } else { "stdio" };
            let title = format!("{} ({client:?} to {upstream:?}, {transport})", case.title);
            let (player, case) = (Arc::clone(&player), case.clone());
            // Play it in its own task, so that a panic does not hide the other cases.
            match tokio::spawn(async move { player.play(&case, client, &over).await }).await {
                Ok(Ok(())) => {}
                Ok(Err(problem)) => failed.push(format!("{title}\n  {problem}")),
                Err(panic) => failed.push(format!("{title}\n  {panic}")),
            }
        }
    }
    assert!(failed.is_empty(), "{} of {played} went wrong:\n\n{}", failed.len(), failed.join("\n\n"));
    assert!(played >= 20, "only {played} cases were found");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_of_the_older_era_meets_its_like() {
    play(Era::Legacy, Era::Legacy).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_of_the_older_era_meets_a_newer_upstream() {
    play(Era::Legacy, Era::Modern).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_of_the_newer_era_meets_an_older_upstream() {
    play(Era::Modern, Era::Legacy).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_of_the_newer_era_meets_its_like() {
    play(Era::Modern, Era::Modern).await;
}
