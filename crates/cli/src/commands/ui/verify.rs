//! Verifies all logs.
use overt_state::audit::{PublicKey, TrustAnchors, verify as check};
use serde_json::{Value, json};

use crate::settings::{UiSettings, logs_in};

pub(super) fn verify(settings: &UiSettings) -> Value {
    let key = PublicKey::find(settings.state.path()).ok().flatten();
    let against = TrustAnchors { anchors: Vec::new(), key };
    let logs: Vec<Value> = logs_in(&settings.logs)
        .iter()
        .map(|log| {
            let (ok, words) = match check(&log.dir, &against, &mut |_, _| {}) {
                Ok(report) => match &report.broken {
                    Some(broken) => (false, format!("broken from record {} on: {}", broken.seq, broken.why)),
                    None if report.lacks_its_end() => {
                        let words = "hold, but nothing says that the log was closed: it crashed or was cut";
                        (false, format!("{} records {words}", report.records))
                    }
                    None => (true, format!("{} records hold", report.records)),
                },
                Err(error) => (false, error.to_string()),
            };
            json!({ "name": log.name, "ok": ok, "words": words })
        })
        .collect();
    json!({ "logs": logs })
}
