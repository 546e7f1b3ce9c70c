//! Documents over HTTP, for readers that don't speak MCP. They have no client behind them, so the server is looked at in
//! a name of our own, and at most every few seconds.
use std::sync::Arc;
use std::time::{Duration, Instant};

use overt_documents::Description;
use overt_documents::document::Served;
use overt_wire::json::Object;
use overt_wire::{Document, DocumentRequest, Exchange, Method, NoDocument};
use tokio::sync::Mutex;

use super::layer::Disclose;
use super::own_session::OwnSession;
use super::resources;
use overt_layers::ReadRecords;

/// For how long one look at the server is good.
const LOOK: Duration = Duration::from_secs(5);
/// For how long a reader may keep a document.
const MAX_AGE: Duration = Duration::from_secs(3600);

/// Whoever reads documents.
#[derive(Debug, Default)]
pub(super) struct Reader {
    session: OwnSession,
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
    /// In whose name the server is looked at.
    fn asker(&self) -> Exchange {
        self.session.request(Method::ToolsList, Object::new())
    }
}
