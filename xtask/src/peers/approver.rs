//! A script of a person that answers with `overt grants` and the passphrase while a call waits.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use std::time::{Duration, Instant};

use serde_json::Value;

use super::case;
use crate::failure::Failure;
use crate::run::{Finished, Job};

/// The person's answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    Yes,
    No,
}

/// How long to wait for the question.
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(200);

/// The passphrase as it is typed, with Enter.
pub(crate) const PASSPHRASE: &str = "for the tests with peers\n";
/// The stored form of the passphrase. `overt passphrase set` would need a terminal.
const KEPT: &str = r#"{"algorithm":"argon2id","memory_kib":65536,"passes":3,"salt":"mV3EyeGPmvMqRv/l0Uv1hA","hash":"D5SoxSoRXV0T+OLe2ioIT/qrNwlWH7MiXvT7krNED0A"}"#;

/// Sets the passphrase in a state folder that does not exist yet.
pub(crate) fn set_passphrase(state: &Path) -> Result<(), Failure> {
    let path = state.join("passphrase");
    let written = std::fs::create_dir_all(state).and_then(|()| {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600).open(&path)?.write_all(KEPT.as_bytes())
    });
    written.map_err(Failure::file("write", &path))
}

impl Decision {
    /// Returns the choice as a form has it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Yes => "once",
            Self::No => "no",
        }
    }
}

/// Runs the job and answers the one question that it raises.
pub(crate) fn run_and_answer(job: &Job, grants: &Job, decision: Decision) -> Result<Finished, Failure> {
    std::thread::scope(|scope| {
        let call = scope.spawn(|| job.finish());
        let decided = decide(grants, decision);
        let finished = call.join().map_err(|_| Failure::new("the call panicked"))??;
        decided?;
        Ok(finished)
    })
}

fn decide(grants: &Job, decision: Decision) -> Result<(), Failure> {
    let started = Instant::now();
    loop {
        let pending = case::json(&grants.clone().args(["pending", "--format", "json"]))?;
        let open = case::entries(&pending["questions"]);
        if let [question] = open {
            let id = case::text(&question["id"]);
            let word = match decision {
                Decision::Yes => "allow",
                Decision::No => "deny",
            };
            let answer = grants.clone().args([word, id, "--passphrase-stdin"]).input(PASSPHRASE);
            return answer.succeed().map(|_| ());
        }
        if started.elapsed() > PATIENCE || open.len() > 1 {
            return Err(Failure::new(format!("not one question but: {}", Value::from(open.to_vec()))));
        }
        std::thread::sleep(PAUSE);
    }
}
