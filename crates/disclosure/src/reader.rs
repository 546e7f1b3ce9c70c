//! The internal client that reads documents for HTTP readers, which have no MCP session.
use std::sync::Arc;
use std::time::Instant;

use overt_documents::Description;
use overt_layers::Revision;
use overt_wire::json::Object;
use overt_wire::{Exchange, Method};
use tokio::sync::Mutex;

use super::own_session::OwnSession;

/// Reads documents through a session of our own.
#[derive(Debug, Default)]
pub(super) struct Reader {
    session: OwnSession,
    /// The latest description, when it was made, and the policy and tools that it is about.
    pub(super) latest: Mutex<Option<(Instant, Revision, Arc<Description>)>>,
}

impl Reader {
    /// Builds the request on whose behalf the server is described.
    pub(super) fn exchange(&self) -> Exchange {
        self.session.request(Method::ToolsList, Object::new())
    }
}
