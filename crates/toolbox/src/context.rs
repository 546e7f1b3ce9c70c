//! What a tool, resource or prompt may do while it runs: report progress, log, ask, announce
//! changes.
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use overt_policy::scope::Scope;
use overt_policy::setting::{FromSettingValue, Origin, SettingValues};
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

/// Belongs to one request. Cheap to clone.
#[derive(Clone)]
pub struct Context {
    pub(super) inner: Arc<Inner>,
    terms: Terms,
}

/// What holds for the call.
#[derive(Clone, Default)]
pub(super) struct Terms {
    /// What the server's settings are worth in it.
    pub(super) settings: Option<SettingValues>,
    /// Decides about further scopes.
    pub(super) scopes: Option<ScopeCheck>,
    /// An argument of the call says that it is only tried.
    pub(super) is_preview: bool,
    /// What its result says about it.
    pub(super) annotation: Arc<ResultAnnotation>,
    /// The plan that was decided on.
    pub(super) prepared: Arc<Mutex<Option<Prepared>>>,
    /// What the plan changes, a line for each.
    pub(super) planned: Arc<Vec<String>>,
    /// The call is only planned, so it can't ask the client.
    pub(super) is_planning: bool,
    /// The operator wants the literal forms of seed 002 for every client.
    pub(super) is_literal: bool,
}

/// Applies a plan.
pub(super) type Apply = Box<dyn FnOnce(Context) -> BoxFuture<'static, Result<(), ToolError>> + Send>;

/// A call that was planned and not applied yet.
pub(super) struct Prepared {
    pub(super) tool: String,
    pub(super) arguments: Arc<Value>,
    /// The arguments of the call that was planned, where those of the tool behind it are others.
    pub(super) given: Arc<Value>,
    pub(super) outcome: Outcome,
    pub(super) rendered: RenderedChanges,
    pub(super) digest: Option<String>,
    /// The name under which the change can be undone.
    pub(super) change: Option<String>,
    pub(super) apply: Apply,
}

impl Terms {
    /// The arguments of the call, where it was planned with them.
    pub(super) fn planned_arguments(&self) -> Option<Arc<Value>> {
        let prepared = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        prepared.as_ref().map(|prepared| Arc::clone(&prepared.given))
    }
}

/// What does not differ from part to part of the call.
pub(super) struct Inner {
    pub(super) exchange: Exchange,
    questions: Arc<Questions>,
    changes: Changes,
    artifacts: Arc<Artifacts>,
    /// The last progress that was told; it may only grow.
    pub(super) progress: Mutex<Option<f64>>,
    /// The request was answered or given up: nothing is said about it any more.
    pub(super) over: AtomicBool,
    /// To the task that this run has become or may become.
    link: Option<Arc<Link>>,
}

impl Context {
    pub(super) fn new(
        exchange: Exchange,
        questions: Arc<Questions>,
        changes: Changes,
        artifacts: Arc<Artifacts>,
        link: Option<Arc<Link>>,
    ) -> Self {
        let (progress, over) = (Mutex::new(None), AtomicBool::new(false));
        let inner = Inner { exchange, questions, changes, artifacts, progress, over, link };
        Self { inner: Arc::new(inner), terms: Terms::default() }
    }

    /// This context with the terms of the call.
    pub(super) fn with_terms(self, terms: Terms) -> Self {
        Self { terms, ..self }
    }

    /// This context while a plan is applied.
    pub(super) fn with_planned(mut self, changes: Vec<String>) -> Self {
        self.terms.planned = Arc::new(changes);
        self
    }

    /// What the plan that is being applied changes, a line for each: `src/app.ts +4 -3`. The first
    /// ones.
    pub fn planned_changes(&self) -> &[String] {
        &self.terms.planned
    }

    /// Who asks.
    pub fn caller(&self) -> &Caller {
        &self.inner.exchange.caller
    }

    /// The session of an older client; for a newer one, its connection.
    pub fn session_id(&self) -> &str {
        self.inner.exchange.session.id()
    }

    /// What a setting of this server is worth in this call, after the client's configuration and
    /// the call's policy: `context.setting::<u64>("max_results")?`. An `Option` where nothing may
    /// be set.
    pub fn setting<T: FromSettingValue>(&self, key: &str) -> Result<T, ToolError> {
        self.terms.settings.as_ref().and_then(|settings| settings.get(key)).ok_or_else(|| {
            // A mistake of the author's, which a model can't mend.
            tracing::error!(
                setting = key,
                "the tool reads a setting that is not declared, or as another type"
            );
            ToolError::protocol(ErrorObject::internal())
        })
    }

    /// Whether the client's configuration or a policy leaves less of a setting than the operator
    /// has set.
    pub fn is_narrowed(&self, key: &str) -> bool {
        let origin = self.terms.settings.as_ref().and_then(|settings| settings.origin(key));
        matches!(origin, Some(Origin::Client | Origin::Policy(_)))
    }

    /// Whether this call may use a scope that only the tool can know, such as that of the file a
    /// link led to. For tools that say what their arguments stand for
    /// ([`Tool::scope_arguments`](super::Tool::scope_arguments)). `otherwise` is the answer where
    /// no layer decides by scopes.
    pub fn allows(&self, scope: &Scope, otherwise: bool) -> bool {
        self.terms.scopes.as_ref().map_or(otherwise, |scopes| scopes.allows(scope))
    }

    /// What [`allows`](Self::allows) asks, for what goes on after the request was answered. None
    /// where no layer decides by scopes.
    pub fn scope_check(&self) -> Option<ScopeCheck> {
        self.terms.scopes.clone()
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

    /// Answers the request with a task and goes on in the background, where the tool was declared
    /// with [`Tool::task_on_detach`](super::Tool::task_on_detach) and the client knows tasks.
    /// Otherwise nothing happens and the client goes on waiting.
    ///
    /// Ask before you detach what the work depends on: until here the request can be given up,
    /// afterwards it takes `tasks/cancel`. Progress becomes the task's status message; log messages
    /// are not sent any more.
    pub async fn detach(&self) {
        if let Some(link) = self.link() {
            link.leave().await;
        }
    }

    /// The task that the run has become.
    pub(super) fn task(&self) -> Option<Arc<Task>> {
        self.link().and_then(Link::task)
    }

    /// Announces that something changed.
    pub fn changes(&self) -> &Changes {
        &self.inner.changes
    }

    /// Lets the client go and fetch the answer later, where the transport can do that.
    pub fn pause(&self, retry: Duration) {
        self.inner.exchange.sink.pause(retry);
    }

    /// Whether the call is only tried: a tool that is not made of a plan and its application must
    /// not change anything then.
    pub fn is_preview(&self) -> bool {
        self.mode().is_ok_and(|mode| mode == Mode::Preview)
    }

    /// This call as a preview, for tools that are told so by an argument.
    #[must_use]
    pub fn as_preview(&self) -> Self {
        let mut context = self.clone();
        context.terms.is_preview = true;
        context
    }

    /// The request of the client.
    pub(super) fn message(&self) -> &Message {
        &self.inner.exchange.message
    }

    /// How the call is meant.
    pub(super) fn mode(&self) -> Result<Mode, ToolError> {
        let mode = Mode::read(&self.inner.exchange.message)?;
        Ok(if self.terms.is_preview { Mode::Preview } else { mode })
    }

    /// What all settings are worth in this call.
    pub(super) fn settings(&self) -> Option<&SettingValues> {
        self.terms.settings.as_ref()
    }

    /// The plan that was made for this call, for the first who asks.
    pub(super) fn take_prepared(&self) -> Option<Prepared> {
        self.terms.prepared.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(super) fn is_planning(&self) -> bool {
        self.terms.is_planning
    }

    pub(super) fn session(&self) -> &Session {
        &self.inner.exchange.session
    }

    pub(super) fn artifacts(&self) -> &Artifacts {
        &self.inner.artifacts
    }

    /// Whether the client shows the content items `review` and `diff`, which no version of the
    /// protocol has.
    pub(super) fn wants_literal_items(&self) -> bool {
        let wanted = self.caller().capabilities.as_json().get("experimental").get("review").value();
        self.terms.is_literal || wanted.is_some_and(|wanted| wanted.bool() != Some(false))
    }

    /// An older client has the artifacts of its session in its list of resources.
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

    /// Whether questions go out as a result, as the newer era wants it.
    pub(super) fn asks_in_result(&self) -> bool {
        self.caller().era() == Era::Modern
    }
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.inner.exchange.fmt(f)
    }
}
