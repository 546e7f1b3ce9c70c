//! The reader of documents over HTTP: it has no client behind it, so it asks in our own name.
use std::sync::Arc;
use std::time::Instant;

use overt_documents::Description;
use overt_wire::json::Object;
use overt_wire::{Exchange, Method};
use tokio::sync::Mutex;

use super::own_session::OwnSession;

/// Reads documents in the name of our own session.
#[derive(Debug, Default)]
pub(super) struct Reader {
    session: OwnSession,
    /// The last description, and when it was made.
    pub(super) latest: Mutex<Option<(Instant, Arc<Description>)>>,
}

impl Reader {
    /// The request in whose name the server is described.
    pub(super) fn exchange(&self) -> Exchange {
        self.session.request(Method::ToolsList, Object::new())
    }
}
