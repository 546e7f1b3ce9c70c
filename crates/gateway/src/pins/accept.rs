//! What the layers know of the pins: the definition that a person accepted, and that they accepted
//! another one in answer to a question.
use overt_layers::definition::definition_digest;
use overt_wire::json::JsonBuf;

use super::guard::{PinGuard, PinMode};
use super::remember::now;

impl PinGuard {
    /// The accepted definition of a tool as clients get it, if it is kept.
    pub(crate) fn accepted(&self, tool: &str) -> Option<JsonBuf> {
        if self.mode() == PinMode::Off {
            return None;
        }
        let mut known = self.known();
        self.renew(&mut known);
        known.live.record()?.tools.get(tool)?.accepted.as_ref()?.as_clients_see()
    }

    /// A person saw this definition and decided that the tool may be used. Nothing is accepted if
    /// the server showed another one since.
    pub(crate) fn accept(&self, tool: &str, definition: &JsonBuf) {
        if self.mode() == PinMode::Off {
            return;
        }
        let (guard, tool, shown) = (self.clone(), tool.to_owned(), definition_digest(definition.as_json()));
        // The file may be locked by another process, and no call waits for this.
        tokio::task::spawn_blocking(move || {
            let accepted = guard.0.store.update(&guard.0.identity, |record| {
                let Some(mut record) = record else { return (None, ()) };
                let seen = record.tools.get(&tool).and_then(|pin| pin.seen.clone());
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
