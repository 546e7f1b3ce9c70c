//! Plays the transcripts of the skills server in both eras, over lines and over HTTP.
use std::path::Path;

use overt_servers::skills::{Options, Root, SkillServer};
use overt_testkit::transcript::{Player, read};

use super::kit::{repository, skill};
use crate::stage::Stage;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_transcript_holds_in_both_eras() {
    let stage = Stage::new();
    stage.write("docs/pdf/SKILL.md", skill("pdf", "# PDF"));
    stage.write("docs/pdf/scripts/run.py", "print('hello')\n");
    stage.write("docs/pdf/assets/logo.png", [0x89, b'P', b'N', b'G', 0xff, 0x00]);
    stage.write("mail/SKILL.md", repository("mail", ""));
    let root = Root { path: stage.root.clone(), shown: "skills".to_owned() };
    let player = Player::new("no-program", move |_| {
        let options = Options { roots: vec![root.clone()], tools: true, prompts: true, ..Options::default() };
        let server = SkillServer::open(options).unwrap();
        overt_layers::open(server.endpoint().unwrap())
    });
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts/skills.txt");
    let cases = read("skills.txt", &std::fs::read_to_string(file).unwrap()).unwrap();
    let (mut played, mut failed) = (0, Vec::new());
    for case in &cases {
        for (era, over) in player.ways(case) {
            played += 1;
            if let Err(problem) = player.play(case, era, &over).await {
                failed.push(format!("{} ({era:?}, {over:?})\n  {problem}", case.title));
            }
        }
    }
    assert!(failed.is_empty(), "{} of {played} went wrong:\n\n{}", failed.len(), failed.join("\n\n"));
    assert_eq!(played, cases.len() * 4);
}
