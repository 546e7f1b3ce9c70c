//! What the layers know about an endpoint, in one value.
use std::fmt;
use std::sync::{Arc, OnceLock};

use overt_policy::ToolRecord;
use overt_policy::rate::RateLimit;
use overt_policy::setting::SettingValues;
use overt_policy::uri::ResourceScopes;
use overt_wire::json::{Json, JsonBuf, Object};
use overt_wire::{BoxFuture, ErrorObject, Exchange, Message, Session};
use serde_json::Value;

use crate::declared::DeclaredServer;
use crate::permit::{Conditions, PreparedPlan};

/// A server as the layers see it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ServerDescription {
    /// Its name in scopes such as `execute:<name>:<tool>`: lower case, digits, `-` and `_`.
    pub name: String,
    /// Tells it from every other server: grants are for it alone. Two servers may share a name,
    /// never this.
    pub identity: String,
    /// The project in which it was started, where there is one.
    pub project: Option<String>,
    /// The `serverInfo` object, for answers that are given in the server's place.
    pub info: JsonBuf,
    /// How often each client may call, all tools together, where that is declared.
    pub rate_limit: Option<RateLimit>,
    /// Its settings, with the values that the operator gave them. Clients are told the schema, and
    /// may narrow them.
    pub settings: Option<SettingValues>,
    /// What a server of ours declares about itself.
    pub declared: Option<Arc<DeclaredServer>>,
    /// Scopes that reading its resources needs, where they are declared.
    pub resource_scopes: Arc<ResourceScopes>,
    pub tools: Arc<dyn Tools>,
    pub lifecycle: Arc<dyn Lifecycle>,
    /// Where the endpoint reports what it tells a session about tasks.
    pub task_events: Arc<TaskEvents>,
}

/// What an endpoint knows about its tools beside the list that it gives.
pub trait Tools: Send + Sync {
    /// What is declared about a tool, by its author or in a manifest.
    fn record(&self, _tool: &str) -> Option<&ToolRecord> {
        None
    }

    /// The name that the running server gives itself, where it was asked only after the endpoint
    /// was made.
    fn server_name(&self) -> Option<String> {
        None
    }

    /// The definition of a tool that a person accepted, where one is remembered; it may not be the
    /// one that the server gives now.
    fn accepted_definition(&self, _tool: &str) -> Option<JsonBuf> {
        None
    }

    /// A person decided that the tool may be used with this definition.
    fn accept_definition(&self, _tool: &str, _definition: &JsonBuf) {}

    /// Counts the changes of the tools: what was learned of them before a change no longer holds.
    fn generation(&self) -> u64 {
        0
    }

    /// Whether there is such a tool, where the endpoint knows all its tools; otherwise the caller
    /// lists them.
    fn exists(&self, _tool: &str) -> Option<bool> {
        None
    }

    /// The arguments as the tool's schema has them, where the client wrote them otherwise and what
    /// it means is clear. None where they are so already, or it is not known. Everything that looks
    /// at the call sees these.
    fn canonical_arguments(&self, _tool: &str, _arguments: Json<'_>) -> Option<Value> {
        None
    }

    /// Checks the arguments of a call. None where only the endpoint's own answer tells whether they
    /// are right. `arguments` is none where they hold a number that no value can represent.
    fn check_arguments(&self, _tool: &str, _arguments: Option<&Value>) -> Option<Result<(), ToolFailure>> {
        None
    }

    /// The arguments as scopes see them: relative paths made absolute, defaults filled in. None
    /// where they are seen as they are; otherwise the endpoint checks what it really opens with its
    /// [`ScopeCheck`](crate::permit::ScopeCheck).
    fn scope_arguments(
        &self,
        _tool: &str,
        _arguments: &Value,
        _settings: Option<&SettingValues>,
    ) -> Option<Value> {
        None
    }

    /// What a client whose call is denied gets instead of the general refusal: what is wrong with
    /// the arguments themselves, such as a path that the server does not serve. Never more than
    /// every client may know.
    fn explain_denial(&self, _tool: &str, _arguments: &Value) -> Option<ToolFailure> {
        None
    }

    /// Whether a call of this tool is planned before it runs.
    fn has_plan(&self, _tool: &str) -> bool {
        false
    }

    /// Plans a call: looks at what is there and says what will change. Changes nothing and asks no
    /// question. None for a tool without a plan.
    fn plan<'a>(&'a self, _request: PlanRequest) -> Option<BoxFuture<'a, Result<CallPlan, ToolFailure>>> {
        None
    }

    /// The call whose changes are shown at this address: tool and arguments. Only a caller who may
    /// make the call may look at its changes.
    fn review_origin(&self, _uri: &str) -> Option<(String, Value)> {
        None
    }
}

/// Sessions and the process, as they end.
pub trait Lifecycle: Send + Sync {
    /// The session is over: what is kept for it can go.
    fn session_closed(&self, _session: &Arc<Session>) {}

    /// The process is about to end: requests that stay open for ever should be answered now.
    fn shutdown(&self) {}
}

/// Notifications that an endpoint is about to send to a whole session, as the layers see them.
/// Those of a request pass the layers anyway.
#[derive(Default)]
pub struct TaskEvents(OnceLock<TaskObserver>);

/// Says whether a notification may be delivered to a session.
type TaskObserver = Box<dyn Fn(&Session, &Message) -> bool + Send + Sync>;

/// A call to be planned.
#[derive(Debug)]
pub struct PlanRequest {
    pub exchange: Exchange,
    pub tool: String,
    pub arguments: Arc<Value>,
    pub conditions: Arc<Conditions>,
    /// Whether the plan must be bound to its call: an approval or the client will refer to it.
    pub needs_digest: bool,
}

/// What a call is going to do.
#[derive(Debug)]
pub struct CallPlan {
    /// Binds an approval to the call: tool, arguments, contents before and after, and what was
    /// looked at.
    pub digest: Option<String>,
    /// The name under which the change can be undone, once it is made.
    pub change: Option<String>,
    pub summary: PlanSummary,
    /// The plan itself, for the endpoint to apply.
    pub prepared: PreparedPlan,
}

/// The changes of a plan, for people.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PlanSummary {
    pub created: usize,
    pub changed: usize,
    pub deleted: usize,
    pub moved: usize,
    /// One line for each change, such as `src/app.ts +4 -3`; the first ones.
    pub changes: Vec<String>,
    /// The changes as a unified diff; empty where there is no text to compare.
    pub diff: String,
    /// A page that shows all of it.
    pub page: String,
    /// Why it can't be undone once it is made, where that is so. Each such call is asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub irreversible: Option<Irreversible>,
}

/// A change of which nothing is kept.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Irreversible {
    /// Why nothing is kept, as part of a sentence: `` `big` takes 2 GiB in the journal, which keeps
    /// at most 1 GiB ``.
    pub why: String,
    /// What to do instead, for a change that can be undone: a sentence.
    pub instead: String,
}

/// Why a call can't run.
#[derive(Debug, Clone)]
pub struct ToolFailure {
    /// What is wrong, for the audit log and for people.
    pub reason: String,
    /// What is in force does not allow it. Otherwise something is wrong with the call itself.
    pub is_refusal: bool,
    /// What the client gets: the members of a tool result, or a JSON-RPC error.
    pub answer: Result<FailedResult, ErrorObject>,
}

/// The members of a result with `isError`, before it is dressed for the client's era.
#[derive(Debug, Clone)]
pub struct FailedResult {
    pub members: JsonBuf,
    pub meta: Option<JsonBuf>,
}

/// An endpoint whose tools are known only by the list that it gives, and which keeps nothing for
/// sessions.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unknown;

impl Tools for Unknown {}

impl Lifecycle for Unknown {}

impl ServerDescription {
    /// A server of which nothing is known but its name.
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
    /// Whether the session may be told.
    pub fn may_deliver(&self, session: &Session, message: &Message) -> bool {
        self.0.get().is_none_or(|observer| observer(session, message))
    }

    /// The first observer stays.
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

    /// How many changes there are of each kind: `2 created`, `1 deleted`.
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
