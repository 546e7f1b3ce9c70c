//! Requests that Overt makes itself, for readers without an MCP client.
use std::sync::{Arc, OnceLock};

use overt_layers::seal::random_name;
use overt_wire::era::{Caller, Version};
use overt_wire::json::{JsonBuf, Object};
use overt_wire::{DeadlineControl, Exchange, Id, Message, Method, NoClient, Principal, Session};

/// A session with a random name, for a reader who is not identified. It speaks the newer era, which
/// needs no handshake.
#[derive(Debug, Default)]
pub struct OwnSession {
    session: OnceLock<Arc<Session>>,
}

impl OwnSession {
    /// Builds a request with these parameters. Layers decide about it, count it and record it like
    /// any other.
    pub fn request(&self, method: Method<'_>, params: Object) -> Exchange {
        let session = self
            .session
            .get_or_init(|| Session::of_connection(random_name(), Principal::public(), Arc::new(NoClient)));
        let info =
            Object::new().string("name", "overt").string("version", env!("CARGO_PKG_VERSION")).finish();
        let capabilities = JsonBuf::empty_object();
        let caller = Caller { version: Version::V2026_07_28, capabilities, info: Some(info) };
        let params = params.json("_meta", caller.to_meta(Object::new()).finish().as_json()).finish();
        Exchange {
            message: Message::request(&Id::from(0), method.name(), Some(params.as_json())),
            caller: Arc::new(caller),
            session: Arc::clone(session),
            sink: Arc::new(NoClient),
            deadline: DeadlineControl::default(),
            param_headers: None,
            reached_at: None,
            trace_parent: None,
        }
    }
}
