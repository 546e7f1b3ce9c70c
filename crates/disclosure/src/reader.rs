//! The reader of documents over HTTP, which has no MCP session of its own.
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use overt_documents::Description;
use overt_layers::seal::random_name;
use overt_wire::era::{Caller, Version};
use overt_wire::json::{JsonBuf, Object};
use overt_wire::{DeadlineControl, Exchange, Id, Message, Method, Nobody, Session};
use tokio::sync::Mutex;

/// Stands for every reader of documents over HTTP.
#[derive(Debug, Default)]
pub(super) struct Reader {
    session: OnceLock<Arc<Session>>,
    /// The last description, and when it was made.
    pub(super) latest: Mutex<Option<(Instant, Arc<Description>)>>,
}

impl Reader {
    /// An exchange in the name of the reader, of the newer era, which needs no handshake.
    pub(super) fn exchange(&self) -> Exchange {
        let session = self.session.get_or_init(|| Session::of_connection(random_name(), Arc::new(Nobody)));
        let info =
            Object::new().string("name", "overt").string("version", env!("CARGO_PKG_VERSION")).finish();
        let caller =
            Caller { version: Version::V2026_07_28, capabilities: JsonBuf::empty_object(), info: Some(info) };
        let message = Message::request(&Id::from(0), Method::ToolsList.name(), None);
        Exchange {
            message,
            caller: Arc::new(caller),
            session: Arc::clone(session),
            outlet: Arc::new(Nobody),
            deadline: DeadlineControl::default(),
            param_headers: None,
            reached_at: None,
            trace_parent: None,
        }
    }
}
