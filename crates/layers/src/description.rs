//! What the layers know about an endpoint, in one value.
use std::fmt;
use std::sync::{Arc, OnceLock};

use overt_policy::ToolRecord;
use overt_policy::rate::RateLimit;
use overt_policy::record::Effect;
use overt_policy::uri::ResourceScopes;
use overt_settings::SettingValues;
use overt_wire::json::{Json, JsonBuf, Object};
use overt_wire::{BoxFuture, ErrorObject, Exchange, Message, Session};
use serde_json::Value;

use crate::declared::DeclaredServer;
use crate::grants::Grant;
use crate::permit::{Conditions, PreparedPlan};
use crate::reviewed_call::ReviewedCall;
use crate::tool_catalogue::ToolCatalogue;

/// A server as the layers see it. It is cheap to clone.
#[derive(Debug, Clone)]
pub struct ServerDescription {
    /// The server's name in scopes such as `execute:<name>:<tool>`: lower case, digits, `-` and
    /// `_`.
    pub name: String,
    /// Identifies the server uniquely; grants are bound to it. Two servers may share a name, but
    /// never an identity.
    pub identity: String,
    /// The project in which the server was started, if any.
    pub project: Option<String>,
    /// The `serverInfo` object, for answers that Overt gives in place of the server.
    pub info: JsonBuf,
    /// How often each client may call all tools together, if the server declares it.
    pub rate_limit: Option<RateLimit>,
    /// The server's settings, with the operator's values. Clients see the schema and may narrow the
    /// values.
    pub settings: Option<SettingValues>,
    /// What the server declares about itself, if it is one of ours.
    pub declared: Option<Arc<DeclaredServer>>,
    /// The scopes that reading each resource needs, where they are declared.
    pub resource_scopes: Arc<ResourceScopes>,
    pub tools: Arc<dyn Tools>,
    pub lifecycle: Arc<dyn Lifecycle>,
    /// The endpoint asks here before it sends a session notifications about tasks.
    pub task_events: Arc<TaskEvents>,
}

/// What an endpoint knows about its tools, in addition to the list that it returns.
pub trait Tools: Send + Sync {
    /// Returns what the author or a manifest declares about a tool.
    fn record(&self, _tool: &str) -> Option<&ToolRecord> {
        None
    }

    /// Returns the name that the running server reports, if Overt learned it only after the
    /// endpoint was made.
    fn server_name(&self) -> Option<String> {
        None
    }

    /// Returns the definition of a tool that a person accepted, if one is remembered. The server's
    /// current definition may differ.
    fn accepted_definition(&self, _tool: &str) -> Option<JsonBuf> {
        None
    }

    /// Records that a person accepted this definition of the tool.
    fn accept_definition(&self, _tool: &str, _definition: &JsonBuf) {}

    /// Returns where the endpoint keeps the tools that it lists, if it reads them itself. `None` if
    /// only [`Authorize`](crate::Authorize) needs them.
    fn catalogue(&self) -> Option<Arc<ToolCatalogue>> {
        None
    }

    /// Returns a counter of changes to the tools. Whatever was learned about the tools under an
    /// earlier value is outdated.
    fn generation(&self) -> u64 {
        0
    }

    /// Returns whether the tool exists. `None` if the endpoint doesn't know all its tools; then the
    /// caller must list them.
    fn exists(&self, _tool: &str) -> Option<bool> {
        None
    }

    /// Returns the arguments in the form of the tool's schema, if the client wrote them differently
    /// and its meaning is clear. `None` if they already have that form or nothing is known about
    /// them. Everything that inspects the call sees the returned arguments.
    fn canonical_arguments(&self, _tool: &str, _arguments: Json<'_>) -> Option<Value> {
        None
    }

    /// Checks the arguments of a call. Returns `None` if only the endpoint's own answer can tell
    /// whether they are valid. `arguments` is `None` if they contain a number that `Value` cannot
    /// represent.
    fn check_arguments(&self, _tool: &str, _arguments: Option<&Value>) -> Option<Result<(), ToolFailure>> {
        None
    }

    /// Returns the arguments for turning them into scopes: relative paths made absolute, defaults
    /// filled in. `None` if the arguments are used unchanged. Otherwise the endpoint checks what it
    /// really opens with its [`ScopeCheck`](crate::permit::ScopeCheck).
    fn scope_arguments(
        &self,
        _tool: &str,
        _arguments: &Value,
        _settings: Option<&SettingValues>,
    ) -> Option<Value> {
        None
    }

    /// Returns the answer to a denied call that replaces the general refusal. It says what is wrong
    /// with the arguments themselves, such as a path that the server does not serve. It must not
    /// reveal more than every client may know.
    fn explain_denial(
        &self,
        _tool: &str,
        _arguments: &Value,
        _settings: Option<&SettingValues>,
    ) -> Option<ToolFailure> {
        None
    }

    /// Returns whether a call names places that the endpoint opens only for a grant. `located` are
    /// the arguments from [`Tools::scope_arguments`].
    fn needs_grant(&self, _tool: &str, _located: &Value) -> bool {
        false
    }

    /// Opens the places of a call for the grant that covers it, before the call is planned or run.
    /// Without a grant, the operator allows the call, or believes a client that says it was
    /// granted.
    fn open_for<'a>(
        &'a self,
        _tool: &str,
        _grant: Option<&'a Grant>,
        _located: &'a Value,
    ) -> BoxFuture<'a, Result<(), ToolFailure>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Returns whether a call of this tool is planned before it runs.
    fn has_plan(&self, _tool: &str) -> bool {
        false
    }

    /// Plans a call: reads the current state and says what will change. Changes nothing and asks no
    /// question. Returns `None` for a tool without a plan.
    fn plan<'a>(&'a self, _request: PlanRequest) -> Option<BoxFuture<'a, Result<CallPlan, ToolFailure>>> {
        None
    }

    /// Returns the call whose changes are shown at this address. Only a caller that may make the
    /// call may see its changes.
    fn review_origin(&self, _uri: &str) -> Option<ReviewedCall> {
        None
    }
}

/// Tells an endpoint that a session or the process ends.
pub trait Lifecycle: Send + Sync {
    /// The session has ended; the endpoint can drop the session's state.
    fn session_closed(&self, _session: &Arc<Session>) {}

    /// The process is about to end. The endpoint should now answer requests that would stay open
    /// indefinitely.
    fn shutdown(&self) {}
}

/// Lets the layers see notifications about tasks that an endpoint is about to send to a whole
/// session. Notifications of a single request pass through the layers anyway.
#[derive(Default)]
pub struct TaskEvents(OnceLock<TaskObserver>);

/// Returns whether a notification may be delivered to a session.
type TaskObserver = Box<dyn Fn(&Session, &Message) -> bool + Send + Sync>;

/// A call to plan.
#[derive(Debug)]
pub struct PlanRequest {
    pub exchange: Exchange,
    pub tool: String,
    pub arguments: Arc<Value>,
    pub conditions: Arc<Conditions>,
    /// Whether the plan needs a digest that binds it to its call, because an approval or the client
    /// will refer to it.
    pub needs_digest: bool,
}

/// What a call will do.
#[derive(Debug)]
pub struct CallPlan {
    /// Binds an approval to the call: to its tool, its arguments, the contents before and after,
    /// and everything that the plan read.
    pub digest: Option<String>,
    /// The name under which the change can be undone after it is made.
    pub change: Option<String>,
    pub summary: PlanSummary,
    /// The plan itself, which the endpoint applies.
    pub prepared: PreparedPlan,
}

/// A summary of a plan's changes for people.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PlanSummary {
    pub created: usize,
    pub changed: usize,
    pub deleted: usize,
    pub moved: usize,
    /// One line for each of the first changes, such as `src/app.ts +4 -3`.
    pub changes: Vec<String>,
    /// The changes as a unified diff. Empty if there is no text to compare.
    pub diff: String,
    /// A page that shows all changes.
    pub page: String,
    /// Why the change can't be undone; `None` if it can be. Overt asks about each irreversible
    /// call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub irreversible: Option<Irreversible>,
    /// Another reason to ask a person about each such call, whatever else is allowed, as part of a
    /// sentence: `` `.git/hooks/pre-commit` is run by git ``.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub each_time: Option<String>,
    /// The tool that does by declaration what this call does, such as `delete_file` for an undo
    /// that deletes. What denies that tool denies this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acts_as: Option<String>,
    /// Whether the call does worse than its tool declares. Found when the call is decided on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_worse_than_declared: bool,
    /// The changed files that can start programs or permit tools, as part of a sentence:
    /// `` `.envrc` is a file that direnv runs ``. `None` if there are none. Overt asks about each
    /// such call, and not in a client's dialog.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guarded: Option<String>,
}

/// A change that the journal keeps no copy for, so it can't be undone.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Irreversible {
    /// Why no copy is kept, as part of a sentence: `` `big` takes 2 GiB in the journal, which keeps
    /// at most 1 GiB ``.
    pub why: String,
    /// What to do instead to get a change that can be undone, as a sentence.
    pub instead: String,
}

/// Why a call can't run.
#[derive(Debug, Clone)]
pub struct ToolFailure {
    /// What is wrong, worded for the audit log and for people.
    pub reason: String,
    /// Whether something in force, such as the policy or the roots, forbids the call. If false, the
    /// call itself is wrong.
    pub is_refusal: bool,
    /// What the client gets: the members of a tool result, or a JSON-RPC error.
    pub answer: Result<FailedResult, ErrorObject>,
}

/// The members of a result with `isError`, before they are adapted to the client's era.
#[derive(Debug, Clone)]
pub struct FailedResult {
    pub members: JsonBuf,
    pub meta: Option<JsonBuf>,
}

/// Describes an endpoint whose tools are known only from the list that it returns, and that keeps
/// no state for sessions.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unknown;

impl Tools for Unknown {}

impl Lifecycle for Unknown {}

impl ServerDescription {
    /// Describes a server of which only the name is known.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            identity: name.to_owned(),
            project: None,
            info: Object::new().string("name", name).string("version", "0").finish(),
            rate_limit: None,
            settings: None,
            declared: None,
            resource_scopes: Arc::default(),
            tools: Arc::new(Unknown),
            lifecycle: Arc::new(Unknown),
            task_events: Arc::default(),
        }
    }
}

impl TaskEvents {
    /// Returns whether the session may receive the notification.
    pub fn may_deliver(&self, session: &Session, message: &Message) -> bool {
        self.0.get().is_none_or(|observer| observer(session, message))
    }

    /// Sets the observer. If one is already set, it stays.
    pub(crate) fn observe(&self, observer: TaskObserver) {
        let _ = self.0.set(observer);
    }
}

impl fmt::Debug for TaskEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TaskEvents")
    }
}

impl PlanSummary {
    pub fn is_empty(&self) -> bool {
        self.created + self.changed + self.deleted + self.moved == 0
    }

    /// Returns the effect of the changes.
    pub fn effect(&self) -> Effect {
        if self.deleted > 0 || self.irreversible.is_some() {
            Effect::Destructive
        } else if self.is_empty() {
            Effect::Read
        } else {
            Effect::Mutating
        }
    }

    /// Returns whether only an approval of this very call covers it: nobody approved such a call
    /// together with others.
    pub fn needs_own_approval(&self) -> bool {
        self.irreversible.is_some()
            || self.each_time.is_some()
            || self.guarded.is_some()
            || self.is_worse_than_declared
    }

    /// Returns the number of changes of each kind, such as `2 created` and `1 deleted`.
    pub fn counts(&self) -> Vec<String> {
        let counts = [
            (self.created, "created"),
            (self.changed, "changed"),
            (self.moved, "moved"),
            (self.deleted, "deleted"),
        ];
        counts.iter().filter(|(many, _)| *many > 0).map(|(many, what)| format!("{many} {what}")).collect()
    }
}

impl fmt::Debug for dyn Tools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tools")
    }
}

impl fmt::Debug for dyn Lifecycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lifecycle")
    }
}
