//! Caches the tools of the server, because the page asks for a sentence with every keystroke.
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use overt_transport::client::{Client, ClientError};
use overt_wire::Method;
use overt_wire::json::JsonBuf;

#[derive(Debug, Default)]
pub(super) struct ToolCache(Mutex<CachedTools>);

#[derive(Debug, Default)]
struct CachedTools {
    tools: Option<Arc<Vec<JsonBuf>>>,
    /// Increases each time the cache is cleared. A list that was requested before that is not kept.
    generation: u64,
}

impl ToolCache {
    pub(super) async fn list(&self, client: &Client) -> Result<Arc<Vec<JsonBuf>>, ClientError> {
        let generation = {
            let cached = self.lock();
            if let Some(tools) = &cached.tools {
                return Ok(Arc::clone(tools));
            }
            cached.generation
        };
        let tools = Arc::new(client.list(Method::ToolsList.name(), "tools").await?);
        let mut cached = self.lock();
        if cached.generation == generation {
            cached.tools = Some(Arc::clone(&tools));
        }
        Ok(tools)
    }

    /// Clears the cache, because the tools changed or may have changed.
    pub(super) fn forget(&self) {
        let mut cached = self.lock();
        cached.tools = None;
        cached.generation += 1;
    }

    fn lock(&self) -> MutexGuard<'_, CachedTools> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
