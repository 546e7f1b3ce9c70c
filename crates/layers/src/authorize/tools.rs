//! Looks up the tool of a call, and lists the server's tools again before it says that one does not
//! exist.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use overt_wire::error::code;
use overt_wire::json::{Json, JsonBuf};
use overt_wire::{BoxFuture, ErrorObject, Exchange, Message, Method};

use super::layer::Authorize;
use super::request_options::RequestOptions;
use crate::Endpoint;
use crate::known_tool::KnownTool;
use crate::listing;
use crate::permit::{Admitted, Unprivileged};
use crate::tool_catalogue::WholeList;

/// The outcome of looking up a tool.
pub(super) enum Lookup {
    Found(Arc<KnownTool>),
    /// The tool does not exist.
    Unknown,
    /// The server has no tools at all.
    NoTools,
    /// The server can't list its tools, for this reason.
    Unlistable(ErrorObject),
}

/// The most lists that one lookup fetches while the tools keep changing.
const MAX_LISTS: usize = 3;

impl Authorize {
    /// Looks up a tool. Fetches the server's list if the tool is unknown or may have changed.
    /// Concurrent calls wait for the same list.
    pub(super) async fn find_tool(&self, caller: &Exchange, tool: &str) -> Lookup {
        let declared = &self.endpoint.description().tools;
        if declared.exists(tool) == Some(false) {
            return Lookup::Unknown;
        }
        if let Some(known) = self.tools.current(declared.generation(), tool) {
            return Lookup::Found(known);
        }
        let _one_at_a_time = self.tools.listing.lock().await;
        for _ in 0..MAX_LISTS {
            if let Some(known) = self.tools.current(declared.generation(), tool) {
                return Lookup::Found(known);
            }
            if let Some(list) = self.tools.recent_list(declared.generation()) {
                return if list.has_tools { Lookup::Unknown } else { Lookup::NoTools };
            }
            if let Err(error) = self.list_tools(caller).await {
                return Lookup::Unlistable(error);
            }
        }
        // The tools change faster than they can be listed. Use the last list.
        self.tools.last_listed(tool).map_or(Lookup::Unknown, Lookup::Found)
    }

    async fn list_tools(&self, caller: &Exchange) -> Result<(), ErrorObject> {
        let description = self.endpoint.description();
        let generation = description.tools.generation();
        let is_known_method = AtomicBool::new(true);
        let call = |asked: Exchange| {
            // Removes the caller's narrowing options: if the server filtered its list by them,
            // Overt would not see every tool that it must decide about.
            let exchange = Exchange { message: RequestOptions::without(&asked.message, false), ..asked };
            let is_known_method = &is_known_method;
            let request = Unprivileged::new(exchange);
            Box::pin(async move {
                let reply = self.endpoint.call(Admitted::Unprivileged(request.ok()?)).await?;
                let is_unknown = reply.error_code() == Some(code::METHOD_NOT_FOUND);
                is_known_method.store(!is_unknown, Ordering::Relaxed);
                Some(reply)
            }) as BoxFuture<'_, Option<Message>>
        };
        let tools = listing::list(call, caller, Method::ToolsList, "tools").await.inspect_err(
            |error| tracing::warn!(%error, "the tools can't be listed, so nothing is known about them"),
        )?;
        let list = WholeList { at: Instant::now(), has_tools: is_known_method.into_inner() };
        let tools = tools.iter().map(JsonBuf::as_json);
        self.tools.replace(
            &description.name,
            &|tool| description.tools.record(tool),
            tools,
            (generation, list),
        );
        Ok(())
    }

    /// Notes tools from a list on its way to a client.
    pub(super) fn note_tools(&self, reply: &Message) {
        let description = self.endpoint.description();
        let tools = reply.result_body().get("tools").value();
        let tools = tools.into_iter().flat_map(Json::elements);
        tools.for_each(|tool| {
            self.tools.note(&description.name, &|tool| description.tools.record(tool), tool);
        });
    }
}
