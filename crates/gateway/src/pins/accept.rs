//! The pins' interface to the layers: returns the definition that a person accepted, and accepts
//! another one that a person approved in a question.
use overt_layers::definition::DefinitionDigest;
use overt_wire::json::JsonBuf;

use super::guard::{PinGuard, PinMode};
use super::remember::now;

impl PinGuard {
    /// Returns the accepted definition of a tool as clients get it, if its text is kept.
    pub(crate) fn accepted(&self, tool: &str) -> Option<JsonBuf> {
        if self.mode() == PinMode::Off {
            return None;
        }
        let mut known = self.state();
        self.renew(&mut known);
        known.live.record()?.tools.get(tool)?.accepted.as_ref()?.as_clients_see()
    }

    /// Accepts a definition that a person saw and approved. Has no effect if the server has shown
    /// another one since.
    pub(crate) fn accept(&self, tool: &str, definition: &JsonBuf) {
        if self.mode() == PinMode::Off {
            return;
        }
        let (guard, tool) = (self.clone(), tool.to_owned());
        let shown = DefinitionDigest::of(definition.as_json());
        // Other processes may hold the file's lock, and no call may wait for it.
        tokio::task::spawn_blocking(move || {
            let accepted = guard.0.store.update(&guard.0.identity, |record| {
                let Some(mut record) = record else { return (None, ()) };
                let seen = record.tools.get(&tool).and_then(|pin| pin.unaccepted.clone());
                let seen = seen.filter(|seen| seen.trusted_digest().as_ref() == Some(&shown));
                let is_accepted = seen.is_some_and(|seen| record.accept_shown(&tool, seen.digest, now()));
                (is_accepted.then_some(record), ())
            });
            if let Err(error) = accepted {
                tracing::warn!(%error, "a tool that a person accepted stays changed in the pins");
            }
        });
    }
}
