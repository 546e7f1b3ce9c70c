//! Serves documents over HTTP to readers that don't speak MCP. The server is described on behalf of
//! an internal client, at most once every few seconds.
use std::sync::Arc;
use std::time::{Duration, Instant};

use overt_documents::Description;
use overt_documents::document::ServedDocument;
use overt_layers::ReadRecords;
use overt_wire::{Document, DocumentRequest, NoDocument};

use super::layer::Disclose;
use super::resources;

/// How long a description of the server may be used.
const DESCRIPTION_AGE: Duration = Duration::from_secs(5);
/// How long a reader may cache a document.
const MAX_AGE: Duration = Duration::from_secs(3600);

/// Returns the document at a path.
pub(super) async fn answer<H: ReadRecords>(
    layer: &Disclose<H>,
    request: DocumentRequest,
) -> Result<Document, NoDocument> {
    let wanted = ServedDocument::at(&request.path, &request.mcp_path).ok_or(NoDocument::NotFound)?;
    // Documents are public, but each read is still counted and recorded.
    layer.inner.count_read(&layer.reader.exchange(), &request.path).map_err(|_| NoDocument::Unavailable)?;
    let description = describe(layer).await.ok_or(NoDocument::Unavailable)?;
    let place = resources::place(&layer.disclosure, Some(&request.mcp_url));
    let document = wanted.document(&description, &place).ok_or(NoDocument::NotFound)?;
    Ok(Document { media_type: document.media_type.into(), text: document.text.into(), max_age: MAX_AGE })
}

/// Describes the server, or returns a recent description. Concurrent readers share one description.
async fn describe<H: ReadRecords>(layer: &Disclose<H>) -> Option<Arc<Description>> {
    let mut latest = layer.reader.latest.lock().await;
    let now = layer.inner.revision();
    if let Some((at, revision, description)) = &*latest
        && at.elapsed() < DESCRIPTION_AGE
        && *revision == now
    {
        return Some(Arc::clone(description));
    }
    match layer.description_for(&layer.reader.exchange()).await {
        Ok(description) => {
            *latest = Some((Instant::now(), now, Arc::clone(&description)));
            Some(description)
        }
        Err(error) => {
            tracing::warn!(%error, "the server could not be described for a document");
            None
        }
    }
}
