//! What a tool, resource or prompt can do while it runs: report progress, log, ask the client,
//! announce changes.
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use overt_policy::scope::Scope;
use overt_settings::{FromSettingValue, Origin, SettingValues};
use overt_wire::era::{self, Caller, Era};
use overt_wire::{BoxFuture, ClientSink, DeadlineControl, ErrorObject, Exchange, Message, Session};
use serde_json::Value;

use super::announce::Changes;
use super::error::ToolError;
use super::outcome::Outcome;
use super::preview::Mode;
use super::questions::Questions;
use super::review::{Artifacts, RenderedChanges};
use super::task::{Link, Task};
use overt_layers::{ResultAnnotation, ScopeCheck};

/// Access to one request, for the code that answers it. Cheap to clone.
#[derive(Clone)]
pub struct Context {
    pub(super) inner: Arc<Inner>,
    conditions: CallConditions,
}

/// The conditions of one call.
#[derive(Clone)]
pub(super) struct CallConditions {
    /// Values of the server's settings in this call.
    pub(super) settings: Option<SettingValues>,
    /// Decides about scopes that are found while the call runs.
    pub(super) scopes: Option<ScopeCheck>,
    /// An argument of the call asks for a preview.
    pub(super) is_preview: bool,
    /// What the result says about its call.
    pub(super) annotation: Arc<ResultAnnotation>,
    /// The arguments that the decision was made on.
    pub(super) arguments: Option<Arc<Value>>,
    /// The plan that the decision was made on.
    pub(super) prepared: Arc<Mutex<Option<Prepared>>>,
    /// A line for each change of the plan, if there is one.
    pub(super) planned: Option<Arc<Vec<String>>>,
    /// The call is only being planned, so it can't ask the client.
    pub(super) is_planning: bool,
    /// The operator wants the literal forms of seed 002 for every client.
    pub(super) is_literal: bool,
}

/// The function that applies a plan.
pub(super) type Apply = Box<dyn FnOnce(Context) -> BoxFuture<'static, Result<(), ToolError>> + Send>;

/// A call that is planned but not yet applied.
pub(super) struct Prepared {
    pub(super) tool: String,
    pub(super) arguments: Arc<Value>,
    pub(super) outcome: Outcome,
    pub(super) rendered: RenderedChanges,
    pub(super) digest: Option<String>,
    /// The name under which the change can be undone.
    pub(super) change: Option<String>,
    pub(super) apply: Apply,
}

/// The part of a context that all its clones share.
pub(super) struct Inner {
    pub(super) exchange: Exchange,
    questions: Arc<Questions>,
    changes: Changes,
    artifacts: Arc<Artifacts>,
    /// The last progress that was reported. Progress may only grow.
    pub(super) progress: Mutex<Option<f64>>,
    /// The request was answered or given up, so no more messages are sent about it.
    pub(super) over: AtomicBool,
    /// The link to the task that this run has become or may become.
    link: Option<Arc<Link>>,
}

impl Context {
    pub(super) fn new(
        exchange: Exchange,
        conditions: CallConditions,
        questions: Arc<Questions>,
        changes: Changes,
        artifacts: Arc<Artifacts>,
        link: Option<Arc<Link>>,
    ) -> Self {
        let (progress, over) = (Mutex::new(None), AtomicBool::new(false));
        let inner = Inner { exchange, questions, changes, artifacts, progress, over, link };
        Self { inner: Arc::new(inner), conditions }
    }

    /// Returns the context to apply a plan with.
    pub(super) fn with_planned(mut self, changes: Vec<String>) -> Self {
        self.conditions.planned = Some(Arc::new(changes));
        self
    }

    /// Returns a line for each change of the plan that is being applied, such as
    /// `src/app.ts +4 -3`. A long list has only the first changes.
    pub fn planned_changes(&self) -> &[String] {
        self.conditions.planned.as_deref().map_or(&[], Vec::as_slice)
    }

    /// Returns the client that makes the request.
    pub fn caller(&self) -> &Caller {
        &self.inner.exchange.caller
    }

    /// Returns the session id of a legacy client. For a modern client, this is the id of its
    /// connection.
    pub fn session_id(&self) -> &str {
        self.inner.exchange.session.id()
    }

    /// Returns the value of a setting in this call, after the client's configuration and the call's
    /// policy: `context.setting::<u64>("max_results")?`. Use an `Option` for a setting that may be
    /// unset.
    pub fn setting<T: FromSettingValue>(&self, key: &str) -> Result<T, ToolError> {
        self.conditions.settings.as_ref().and_then(|settings| settings.get(key)).ok_or_else(|| {
            // This is a mistake of the tool's author, which a model can't correct.
            tracing::error!(
                setting = key,
                "the tool reads a setting that is not declared, or as another type"
            );
            ToolError::protocol(ErrorObject::internal())
        })
    }

    /// Whether the client's configuration or a policy restricts a setting further than the operator
    /// did.
    pub fn is_narrowed(&self, key: &str) -> bool {
        let origin = self.conditions.settings.as_ref().and_then(|settings| settings.origin(key));
        matches!(origin, Some(Origin::Client | Origin::Policy(_)))
    }

    /// Whether this call may use a scope that only the tool can know, such as that of the file that
    /// a link points to. For tools that map their arguments to scopes
    /// ([`Tool::scope_arguments`](super::Tool::scope_arguments)). Returns `otherwise` if no layer
    /// decides by scopes.
    pub fn allows(&self, scope: &Scope, otherwise: bool) -> bool {
        self.conditions.scopes.as_ref().map_or(otherwise, |scopes| scopes.allows(scope))
    }

    /// Returns the check behind [`allows`](Self::allows), for work that continues after the request
    /// was answered. `None` if no layer decides by scopes.
    pub fn scope_check(&self) -> Option<ScopeCheck> {
        self.conditions.scopes.clone()
    }

    /// Fails unless the client declared the capability.
    pub fn require(&self, capability: &str) -> Result<(), ToolError> {
        if self.caller().can(capability) {
            return Ok(());
        }
        Err(match self.caller().era() {
            Era::Modern => ToolError::protocol(era::missing_capability(capability)),
            Era::Legacy => {
                ToolError::new(format!("this client can't do what the call needs: `{capability}`"))
                    .next("Use a client with that capability, or another tool.")
            }
        })
    }

    /// Answers the request with a task and continues in the background, if the tool was declared
    /// with [`Tool::task_on_detach`](super::Tool::task_on_detach) and the client supports tasks.
    /// Otherwise does nothing, and the client continues to wait.
    ///
    /// Ask all questions that the work depends on before you detach. Until then the client can
    /// cancel the request; afterwards it needs `tasks/cancel`. Progress becomes the task's status
    /// message; log messages are no longer sent.
    pub async fn detach(&self) {
        if let Some(link) = self.link() {
            link.request_detach().await;
        }
    }

    /// Returns the task that this run has become, if any.
    pub(super) fn task(&self) -> Option<Arc<Task>> {
        self.link().and_then(Link::task)
    }

    /// Returns the handle that announces changes.
    pub fn changes(&self) -> &Changes {
        &self.inner.changes
    }

    /// Tells the client to come back for the answer after `retry`, if the transport can do that.
    pub fn pause(&self, retry: Duration) {
        self.inner.exchange.sink.pause(retry);
    }

    /// Whether the call is a preview. A tool that has no separate plan must not change anything
    /// then.
    pub fn is_preview(&self) -> bool {
        self.mode().is_ok_and(|mode| mode == Mode::Preview)
    }

    /// Returns this context as a preview, for tools that have an argument for it.
    #[must_use]
    pub fn as_preview(&self) -> Self {
        let mut context = self.clone();
        context.conditions.is_preview = true;
        context
    }

    /// Returns the client's request.
    pub(super) fn message(&self) -> &Message {
        &self.inner.exchange.message
    }

    /// Returns whether the call is a preview or real.
    pub(super) fn mode(&self) -> Result<Mode, ToolError> {
        let mode = Mode::read(&self.inner.exchange.message)?;
        Ok(if self.conditions.is_preview { Mode::Preview } else { mode })
    }

    /// Returns the values of all settings in this call.
    pub(super) fn settings(&self) -> Option<&SettingValues> {
        self.conditions.settings.as_ref()
    }

    /// Takes the plan that was made for this call. Only the first caller gets it.
    pub(super) fn take_prepared(&self) -> Option<Prepared> {
        self.conditions.prepared.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Whether a plan was made for this call that is not taken yet.
    pub(super) fn has_prepared(&self) -> bool {
        self.conditions.prepared.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    pub(super) fn is_planning(&self) -> bool {
        self.conditions.is_planning
    }

    pub(super) fn session(&self) -> &Session {
        &self.inner.exchange.session
    }

    pub(super) fn artifacts(&self) -> &Artifacts {
        &self.inner.artifacts
    }

    /// Whether the client shows the content items `review` and `diff`, which are in no version of
    /// the protocol.
    pub(super) fn wants_literal_items(&self) -> bool {
        let wanted = self.caller().capabilities.as_json().get("experimental").get("review").value();
        self.conditions.is_literal || wanted.is_some_and(|wanted| wanted.bool() != Some(false))
    }

    /// Tells a legacy client that its list of resources changed: the list has the artifacts of its
    /// session.
    pub(super) async fn artifacts_changed(&self) {
        if self.caller().era() == Era::Legacy {
            self.inner.changes.resources_of(self.session()).await;
        }
    }

    pub(super) fn sink(&self) -> &Arc<dyn ClientSink> {
        &self.inner.exchange.sink
    }

    pub(super) fn deadline(&self) -> &DeadlineControl {
        &self.inner.exchange.deadline
    }

    pub(super) fn link(&self) -> Option<&Link> {
        self.inner.link.as_deref()
    }

    pub(super) fn questions(&self) -> &Questions {
        &self.inner.questions
    }

    /// Whether questions are sent in a result, as the modern era requires.
    pub(super) fn asks_in_result(&self) -> bool {
        self.caller().era() == Era::Modern
    }
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.inner.exchange.fmt(f)
    }
}
