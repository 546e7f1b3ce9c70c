//! A person at another terminal, who decides with `overt grants` while a call waits.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::case;
use crate::failure::Failure;
use crate::run::{Finished, Job};

/// What a person says to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    Yes,
    No,
}

/// How long until the question is there.
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(200);

impl Decision {
    /// The choice in a form.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Yes => "once",
            Self::No => "no",
        }
    }
}

/// Runs the job and decides the one question that it raises.
pub(crate) fn beside(job: &Job, grants: &Job, decision: Decision) -> Result<Finished, Failure> {
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
        let open = pending["questions"].as_array().map_or(&[][..], Vec::as_slice);
        if let [question] = open {
            let id = question["id"].as_str().unwrap_or_default();
            let word = match decision {
                Decision::Yes => "allow",
                Decision::No => "deny",
            };
            return grants.clone().args([word, id]).succeed().map(|_| ());
        }
        if started.elapsed() > PATIENCE || open.len() > 1 {
            return Err(Failure::new(format!("not one question but: {}", Value::from(open.to_vec()))));
        }
        std::thread::sleep(PAUSE);
    }
}
