//! The interface of places that a server reaches only for a grant, in another process.
use std::fmt;
use std::sync::Arc;

use overt_layers::grants::Grant;
use overt_policy::scope::{Action, Scope};
use overt_settings::SettingValues;
use overt_wire::BoxFuture;
use overt_wire::json::JsonBuf;
use serde_json::Value;

use super::error::ToolError;

/// The connection to a process that runs calls for this one.
pub trait RemoteWorker: fmt::Debug + Send + Sync + 'static {
    /// Sends a request and returns its answer. Dropping the future cancels the request.
    fn ask(&self, request: JsonBuf) -> BoxFuture<'static, Result<JsonBuf, ToolError>>;

    /// Sends a request that has no answer.
    fn tell(&self, request: JsonBuf);

    /// Whether the process has ended.
    fn is_gone(&self) -> bool;

    /// Returns whether these settings differ from those that were sent last, and remembers them.
    fn is_news(&self, settings: &SettingValues) -> bool;
}

/// Places that a server reaches only through a grant, in another process. All arguments are those
/// that scopes are made of ([`Tool::scope_arguments`](crate::Tool::scope_arguments)).
pub trait GrantedPlaces: Send + Sync + 'static {
    /// Refuses arguments that no grant can serve. These are as the client wrote them.
    fn check(&self, arguments: &Value) -> Result<(), ToolError>;

    /// Whether the arguments name such a place.
    fn needs_grant(&self, located: &Value) -> bool;

    /// Opens the places of a call for the grant that covers it. Without a grant, the operator
    /// allows the call, or believes a client that says it was granted.
    fn open_for<'a>(
        &'a self,
        grant: Option<&'a Grant>,
        located: &'a Value,
    ) -> BoxFuture<'a, Result<(), ToolError>>;

    /// Returns the open process that serves the call, and the scopes of the places that it names.
    /// `action` is what the call does at least in one of them.
    fn worker_of(&self, located: &Value, action: Action) -> Option<(Arc<dyn RemoteWorker>, Vec<Scope>)>;

    /// Returns the arguments of a client in a form that the other process understands.
    fn absolute(&self, arguments: &Value) -> Value;
}
