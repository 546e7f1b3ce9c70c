//! The tools of the server, listed once: the page asks for a sentence with every key that is typed.
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use overt_transport::client::{Client, ClientError};
use overt_wire::Method;
use overt_wire::json::JsonBuf;

#[derive(Debug, Default)]
pub(super) struct ToolCache(Mutex<Held>);

#[derive(Debug, Default)]
struct Held {
    tools: Option<Arc<Vec<JsonBuf>>>,
    /// Counts how often the tools were forgotten. A list that was asked for before is not kept.
    generation: u64,
}

impl ToolCache {
    pub(super) async fn list(&self, client: &Client) -> Result<Arc<Vec<JsonBuf>>, ClientError> {
        let generation = {
            let held = self.lock();
            if let Some(tools) = &held.tools {
                return Ok(Arc::clone(tools));
            }
            held.generation
        };
        let tools = Arc::new(client.list(Method::ToolsList.name(), "tools").await?);
        let mut held = self.lock();
        if held.generation == generation {
            held.tools = Some(Arc::clone(&tools));
        }
        Ok(tools)
    }

    /// The tools changed, or may have.
    pub(super) fn forget(&self) {
        let mut held = self.lock();
        held.tools = None;
        held.generation += 1;
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
