//! What is known of the upstream's tools: which arguments modern HTTP clients repeat in headers. The headers must
//! say the same as the body, and only the definition of the tool tells which (HTTP-08).
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use overt_layers::param_headers::Mirrored;
use overt_wire::json::{Json, Member};
use overt_wire::{ErrorObject, ParamHeaders};
use serde_json::Value;

/// Filled when the tools are listed, emptied when the upstream says that they changed.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    listed: bool,
    /// Only tools with annotations; most have none.
    mirrored: HashMap<String, Mirrored>,
}

/// Tools that are remembered.
const MOST: usize = 10_000;

impl Tools {
    pub(crate) fn forget(&self) {
        *self.lock() = Known::default();
    }

    pub(crate) fn is_listed(&self) -> bool {
        self.lock().listed
    }

    /// Learns from a whole list.
    pub(crate) fn learn<'a>(&self, tools: impl Iterator<Item = Json<'a>>) {
        let mut known = self.lock();
        *known = Known { listed: true, ..Known::default() };
        for tool in tools {
            let (Some(name), Member::Value(schema)) = (tool.get("name").string(), tool.get("inputSchema"))
            else {
                continue;
            };
            // Reading a schema is dear, looking for a word in it is not.
            if !schema.as_str().contains("x-mcp-header") || known.mirrored.len() >= MOST {
                continue;
            }
            if let Ok(mirrored) =
                schema.read::<Value>().map_err(drop).and_then(|s| Mirrored::of(&s).map_err(drop))
            {
                known.mirrored.insert(name.into_owned(), mirrored);
            }
        }
    }

    /// Compares the headers of a call with its body.
    pub(crate) fn check(&self, headers: &ParamHeaders, params: Member<'_>) -> Result<(), ErrorObject> {
        let known = self.lock();
        let mirrored = params.get("name").string().and_then(|name| known.mirrored.get(&*name));
        let Some(mirrored) = mirrored else { return Ok(()) };
        let arguments = params.get("arguments").value().and_then(|arguments| arguments.read().ok());
        mirrored.check(headers, &arguments.unwrap_or(Value::Null))
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
