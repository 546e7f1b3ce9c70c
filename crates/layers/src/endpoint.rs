//! The inner seam: what may act. An endpoint takes only exchanges that were permitted.
use std::sync::Arc;

use overt_policy::ToolRecord;
use overt_policy::rate::RateLimit;
use overt_policy::setting::Values;
use overt_wire::json::{JsonBuf, Object};
use overt_wire::{BoxFuture, ErrorObject, Exchange, Message, Session};
use serde_json::Value;

use crate::declared::Declared;
use crate::policy::Permitted;

/// A server of ours or an upstream. It can't be served as it is, only behind [`Authorize`](crate::Authorize), which
/// [`build`](crate::build) and [`open`](crate::open) put in front of it:
///
/// ```
/// # use overt_toolbox::{Server, Toolbox};
/// # use overt_transport::{limits::Limits, pair};
/// # #[tokio::main] async fn main() {
/// let endpoint = Toolbox::new(Server::new("mine", "1.0.0", "Use it.")).build().unwrap();
/// let _client = pair::connect(overt_layers::open(endpoint), Limits::default());
/// # }
/// ```
///
/// ```compile_fail,E0277
/// # use overt_toolbox::{Server, Toolbox};
/// # use overt_transport::{limits::Limits, pair};
/// # #[tokio::main] async fn main() {
/// let endpoint = Toolbox::new(Server::new("mine", "1.0.0", "Use it.")).build().unwrap();
/// let _client = pair::connect(endpoint, Limits::default());
/// # }
/// ```
///
/// Nor can it stand before something that is asked without a permit:
///
/// ```compile_fail,E0277
/// # use overt_toolbox::{Server, Toolbox};
/// let endpoint = Toolbox::new(Server::new("mine", "1.0.0", "Use it.")).build().unwrap();
/// let _handler = overt_layers::Gate::new(endpoint);
/// ```
pub trait Endpoint: Send + Sync + 'static {
    /// Takes one permitted request or notification. Dropping the future cancels it.
    fn call(&self, exchange: Permitted<Exchange>) -> BoxFuture<'_, Option<Message>>;

    /// What a server of ours declares about itself.
    fn declared(&self) -> Option<&Declared> {
        None
    }

    /// The server's name in scopes such as `execute:<name>:<tool>`: lower case, digits, `-` and `_`.
    fn label(&self) -> &str {
        "server"
    }

    /// Which server this is, told from every other one: what people grant is for it alone. Two servers may share a
    /// label, never this.
    fn identity(&self) -> &str {
        self.label()
    }

    /// What is declared about a tool, by its author or in a manifest.
    fn record(&self, _tool: &str) -> Option<&ToolRecord> {
        None
    }

    /// How often each client may call, all tools together, where that is declared.
    fn rate_limit(&self) -> Option<RateLimit> {
        None
    }

    /// The `serverInfo` object, for answers that are given in the server's place.
    fn info(&self) -> JsonBuf {
        Object::new().string("name", self.label()).string("version", "0").finish()
    }

    /// Counts how often the tools are known to have changed: what was learned of them before no longer holds.
    fn tools_generation(&self) -> u64 {
        0
    }

    /// Whether there is such a tool, where the endpoint knows all that it has: nobody is asked about one that there is not.
    fn has_tool(&self, _tool: &str) -> bool {
        true
    }

    /// Whether a preview of this tool is known to change nothing, because it is the plan of a call and the call is made of
    /// it. What a server says of its own previews is not enough.
    fn plans(&self, _tool: &str) -> bool {
        false
    }

    /// The arguments of a call as scopes are to see them: relative paths made whole, what was left out put in. None where they
    /// are seen as they are; otherwise the endpoint asks again for what it really opens
    /// through its [`ScopeCheck`](crate::policy::ScopeCheck).
    fn located(&self, _tool: &str, _arguments: &Value, _settings: Option<&Values>) -> Option<Value> {
        None
    }

    /// The call whose changes are shown at this address: tool and arguments. Whoever may not try that call may not look at
    /// its changes either.
    fn artifact(&self, _uri: &str) -> Option<(String, Value)> {
        None
    }

    /// The session is over: whatever is kept for it can go.
    fn closed(&self, _session: &Arc<Session>) {}

    /// The process is about to end: requests that stay open for ever should be answered now.
    fn shutdown(&self) {}

    /// Its settings, with the values that whoever started it gave them. Clients are told the schema, and may narrow them.
    fn settings(&self) -> Option<Values> {
        None
    }
}

impl<E: Endpoint + ?Sized> Endpoint for Arc<E> {
    fn call(&self, exchange: Permitted<Exchange>) -> BoxFuture<'_, Option<Message>> {
        (**self).call(exchange)
    }

    fn declared(&self) -> Option<&Declared> {
        (**self).declared()
    }

    fn label(&self) -> &str {
        (**self).label()
    }

    fn identity(&self) -> &str {
        (**self).identity()
    }

    fn record(&self, tool: &str) -> Option<&ToolRecord> {
        (**self).record(tool)
    }

    fn rate_limit(&self) -> Option<RateLimit> {
        (**self).rate_limit()
    }

    fn info(&self) -> JsonBuf {
        (**self).info()
    }

    fn tools_generation(&self) -> u64 {
        (**self).tools_generation()
    }

    fn has_tool(&self, tool: &str) -> bool {
        (**self).has_tool(tool)
    }

    fn plans(&self, tool: &str) -> bool {
        (**self).plans(tool)
    }

    fn located(&self, tool: &str, arguments: &Value, settings: Option<&Values>) -> Option<Value> {
        (**self).located(tool, arguments, settings)
    }

    fn artifact(&self, uri: &str) -> Option<(String, Value)> {
        (**self).artifact(uri)
    }

    fn closed(&self, session: &Arc<Session>) {
        (**self).closed(session);
    }

    fn shutdown(&self) {
        (**self).shutdown();
    }

    fn settings(&self) -> Option<Values> {
        (**self).settings()
    }
}

/// What a call of a tool that is not there is answered with (G-07).
pub fn unknown_tool(name: &str) -> ErrorObject {
    ErrorObject::invalid_params(format!("unknown tool `{name}`; `tools/list` has the names"))
}
