//! Documents over HTTP, for readers that don't speak MCP. They have no client behind them, so the server is looked at in
//! a name of our own, and at most every few seconds.
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use overt_documents::Description;
use overt_documents::document::Served;
use overt_wire::era::{Caller, Version};
use overt_wire::json::{JsonBuf, Object};
use overt_wire::{
    DeadlineControl, Document, DocumentRequest, Exchange, Id, Message, Method, NoDocument, Nobody, Session,
};
use tokio::sync::Mutex;

use super::layer::Disclose;
use super::resources;
use overt_layers::ReadRecords;
use overt_layers::seal::random_name;

/// For how long one look at the server is good.
const LOOK: Duration = Duration::from_secs(5);
/// For how long a reader may keep a document.
const MAX_AGE: Duration = Duration::from_secs(3600);

/// Whoever reads documents.
#[derive(Debug, Default)]
pub(super) struct Reader {
    session: OnceLock<Arc<Session>>,
    seen: Mutex<Option<(Instant, Arc<Description>)>>,
}

/// The document at a path.
pub(super) async fn answer<H: ReadRecords>(
    layer: &Disclose<H>,
    request: DocumentRequest,
) -> Result<Document, NoDocument> {
    let wanted = Served::at(&request.path, &request.mcp_path).ok_or(NoDocument::NotFound)?;
    // Public, and still counted and recorded.
    layer.inner.count_read(&layer.reader.asker(), &request.path).map_err(|_| NoDocument::Unavailable)?;
    let description = look(layer).await.ok_or(NoDocument::Unavailable)?;
    let place = resources::place(&layer.disclosure, Some(&request.mcp_url));
    let document = wanted.document(&description, &place).ok_or(NoDocument::NotFound)?;
    Ok(Document { media_type: document.media_type.into(), text: document.text.into(), max_age: MAX_AGE })
}

/// The server as it is now, or was a moment ago. Readers that come at the same time look once.
async fn look<H: ReadRecords>(layer: &Disclose<H>) -> Option<Arc<Description>> {
    let mut seen = layer.reader.seen.lock().await;
    if let Some((at, description)) = &*seen
        && at.elapsed() < LOOK
    {
        return Some(Arc::clone(description));
    }
    match layer.look(&layer.reader.asker()).await {
        Ok(description) => {
            *seen = Some((Instant::now(), Arc::clone(&description)));
            Some(description)
        }
        Err(error) => {
            tracing::warn!(%error, "the server could not be looked at for a document");
            None
        }
    }
}

impl Reader {
    /// An exchange of the newer era, which needs no handshake.
    fn asker(&self) -> Exchange {
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
