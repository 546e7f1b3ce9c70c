//! The proof that a call was decided, approved and recorded. It has a single constructor, so no
//! step can be skipped.
use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

use overt_policy::scope::Scope;
use overt_policy::{Decision, Limits, Verdict};
use overt_settings::SettingValues;
use overt_wire::{Exchange, Message, Method};
use serde_json::Value;

use crate::audit::{Queued, Receipt, Recorded};
use crate::read_decision::ReadDecision;
use crate::veto::NamedItem;

/// A call that was allowed and recorded, with its conditions. It is made from a decision and an
/// audit receipt, which only this crate can make:
///
/// ```compile_fail,E0451
/// use overt_layers::Permitted;
/// let forged = Permitted { inner: "a call that was not decided", conditions: Default::default(), plan: None };
/// ```
///
/// ```compile_fail,E0423
/// use overt_layers::audit::{Receipt, Recorded};
/// let forged: Receipt<Recorded> = Receipt(std::marker::PhantomData);
/// ```
///
/// ```compile_fail,E0423
/// let forged = overt_layers::ReadDecision(());
/// ```
///
/// ```compile_fail,E0624
/// use overt_layers::audit::{NoLedger, Receipt};
/// let forged = Receipt::off(&NoLedger);
/// ```
///
/// A call that only reads need not wait for the disk. Its receipt can't permit an effect:
///
/// ```
/// # use overt_layers::{Permitted, ReadDecision};
/// # use overt_layers::audit::{Queued, Receipt, Recorded};
/// # use overt_policy::Decision;
/// # use overt_wire::Exchange;
/// fn permit(x: Exchange, allow: &Decision, receipt: Receipt<Recorded>) -> Option<Permitted<Exchange>> {
///     Permitted::for_effect(x, allow, receipt, Default::default(), None)
/// }
/// ```
///
/// ```compile_fail,E0308
/// # use overt_layers::{Permitted, ReadDecision};
/// # use overt_layers::audit::{Queued, Receipt, Recorded};
/// # use overt_policy::Decision;
/// # use overt_wire::Exchange;
/// fn permit(x: Exchange, allow: &Decision, receipt: Receipt<Queued>) -> Option<Permitted<Exchange>> {
///     Permitted::for_effect(x, allow, receipt, Default::default(), None)
/// }
/// ```
///
/// That receipt needs a decision about a read:
///
/// ```
/// # use overt_layers::{Permitted, ReadDecision};
/// # use overt_layers::audit::{Queued, Receipt, Recorded};
/// # use overt_wire::Exchange;
/// fn permit(x: Exchange, read: ReadDecision, receipt: Receipt<Queued>) -> Permitted<Exchange> {
///     Permitted::for_read(x, read, receipt, Default::default(), None)
/// }
/// ```
///
/// ```compile_fail,E0308
/// # use overt_layers::{Permitted, ReadDecision};
/// # use overt_layers::audit::{Queued, Receipt, Recorded};
/// # use overt_policy::Decision;
/// # use overt_wire::Exchange;
/// fn permit(x: Exchange, read: Decision, receipt: Receipt<Queued>) -> Permitted<Exchange> {
///     Permitted::for_read(x, read, receipt, Default::default(), None)
/// }
/// ```
///
/// An endpoint only receives it. It shows that the examples above fail for the right reason:
///
/// ```
/// use overt_layers::{Admitted, Endpoint, ServerDescription};
/// use overt_wire::{BoxFuture, Exchange, Message};
/// struct Mine(ServerDescription);
/// impl Endpoint for Mine {
///     fn call(&self, admitted: Admitted) -> BoxFuture<'_, Option<Message>> {
///         let _message = &admitted.exchange().message;
///         Box::pin(std::future::ready(None))
///     }
///     fn description(&self) -> &ServerDescription {
///         &self.0
///     }
/// }
/// ```
#[derive(Debug)]
pub struct Permitted<T> {
    inner: T,
    conditions: Arc<Conditions>,
    plan: Option<PreparedPlan>,
}

/// What an endpoint receives: a permitted call, or a request that reads no content and changes
/// nothing.
#[derive(Debug)]
pub enum Admitted {
    Permitted(Permitted<Exchange>),
    Unprivileged(Unprivileged),
}

/// A request that needs no permission: the handshake, lists, notifications, and requests about the
/// progress of a permitted call. The same decision filters lists afterwards.
#[derive(Debug)]
pub struct Unprivileged(Exchange);

/// Conditions of a single permitted call.
#[derive(Debug, Clone, Default)]
pub struct Conditions {
    pub limits: Limits,
    /// Whether the client wants only the plan of the call.
    pub preview: bool,
    /// The endpoint's settings for this call, after the client's configuration and the call's
    /// policy. `None` if neither changes them.
    pub settings: Option<SettingValues>,
    /// Decides about scopes that only the endpoint can know, such as the scope of the file that a
    /// link leads to. `None` if the endpoint did not say that it would ask.
    pub scopes: Option<ScopeCheck>,
    pub annotation: Arc<ResultAnnotation>,
    /// The arguments of a tool call that were decided on, so that an endpoint need not read them
    /// again.
    pub arguments: Option<Arc<Value>>,
}

/// Text that Overt adds to the result of a call. An endpoint that builds its own results includes
/// it while it writes them; for other endpoints it is added afterwards.
#[derive(Debug, Default)]
pub struct ResultAnnotation {
    /// A sentence that says what the call does. `None` if the tool has no template.
    pub intent: Option<String>,
    written: OnceLock<Annotated>,
    refusal: OnceLock<String>,
}

/// Marks a result that already contains the annotation. Such a result ends the call: it asks no
/// question and needs no further scope. The facts here need not be searched for in its text, which
/// may be long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Annotated {
    pub is_error: bool,
    /// Whether an item of the result's content may name a resource.
    pub may_have_uris: bool,
}

/// A plan that the endpoint made and will apply. It is opaque to everything else.
pub struct PreparedPlan(Box<dyn Any + Send>);

/// Decides whether a call may use a scope that was discovered while the call was planned or run.
#[derive(Clone)]
pub struct ScopeCheck(pub(crate) Arc<dyn Fn(&Scope) -> bool + Send + Sync>);

// === impl Permitted ===

impl Permitted<Exchange> {
    /// Permits a call that may have an effect, and whose intent is durable. Returns `None` unless
    /// the decision is to allow.
    pub fn for_effect(
        exchange: Exchange,
        decision: &Decision,
        _receipt: Receipt<Recorded>,
        conditions: Arc<Conditions>,
        plan: Option<PreparedPlan>,
    ) -> Option<Self> {
        (decision.verdict == Verdict::Allow).then_some(Self { inner: exchange, conditions, plan })
    }

    /// Permits a call that only reads.
    pub fn for_read(
        exchange: Exchange,
        _decision: ReadDecision,
        _receipt: Receipt<Queued>,
        conditions: Arc<Conditions>,
        plan: Option<PreparedPlan>,
    ) -> Self {
        Self { inner: exchange, conditions, plan }
    }
}

impl<T> Permitted<T> {
    pub fn get(&self) -> &T {
        &self.inner
    }

    pub fn into_inner(self) -> T {
        self.inner
    }

    pub fn conditions(&self) -> &Arc<Conditions> {
        &self.conditions
    }
}

// === impl Admitted ===

impl Admitted {
    pub fn exchange(&self) -> &Exchange {
        match self {
            Self::Permitted(permitted) => &permitted.inner,
            Self::Unprivileged(Unprivileged(exchange)) => exchange,
        }
    }

    pub fn into_exchange(self) -> Exchange {
        self.into_parts().0
    }

    /// Returns the exchange, its conditions, and the plan that was made for it.
    pub fn into_parts(self) -> (Exchange, Arc<Conditions>, Option<PreparedPlan>) {
        match self {
            Self::Permitted(Permitted { inner, conditions, plan }) => (inner, conditions, plan),
            Self::Unprivileged(Unprivileged(exchange)) => (exchange, Arc::default(), None),
        }
    }
}

impl From<Permitted<Exchange>> for Admitted {
    fn from(permitted: Permitted<Exchange>) -> Self {
        Self::Permitted(permitted)
    }
}

// === impl Unprivileged ===

impl Unprivileged {
    /// Returns the exchange as an error if its method needs permission.
    pub(crate) fn new(exchange: Exchange) -> Result<Self, Box<Exchange>> {
        match needs_permission(&exchange.message) {
            false => Ok(Self(exchange)),
            true => Err(Box::new(exchange)),
        }
    }
}

/// Returns whether a method can read content or change something: it uses a tool, a resource or a
/// prompt, or Overt does not know it.
pub(crate) fn needs_permission(message: &Message) -> bool {
    match message.method().unwrap_or(Method::Other("")) {
        Method::ToolsCall
        | Method::ResourcesRead
        | Method::ResourcesSubscribe
        | Method::DirectoryRead
        | Method::SkillsGet
        | Method::PromptsGet
        | Method::AiHelp
        | Method::Complete => true,
        // Every client may hear about changes of lists. Only clients that may read a resource may
        // hear about its changes.
        Method::Listen => !NamedItem::of(Method::Listen, message).is_empty(),
        // In 2025-11-25 these methods ask about a call that was already permitted; they are not new
        // calls.
        Method::Other(name) => !matches!(name, "tasks/result" | "tasks/list"),
        _ => false,
    }
}

// === impl ResultAnnotation ===

impl ResultAnnotation {
    pub(crate) fn new(intent: Option<String>) -> Self {
        Self { intent, ..Self::default() }
    }

    /// Notes that the endpoint has written the annotation into the result.
    pub fn set_written(&self, annotated: Annotated) {
        // A call has only one result, so this is set at most once.
        let _ = self.written.set(annotated);
    }

    pub(crate) fn written(&self) -> Option<Annotated> {
        self.written.get().copied()
    }

    /// Notes that the endpoint answers with an error because something in force, such as the policy
    /// or the roots, forbids the call. `reason` is the text of that error.
    pub fn set_refusal(&self, reason: &str) {
        let _ = self.refusal.set(reason.to_owned());
    }

    pub(crate) fn refusal(&self) -> Option<&str> {
        self.refusal.get().map(String::as_str)
    }
}

// === impl PreparedPlan ===

impl PreparedPlan {
    pub fn new<P: Any + Send>(plan: P) -> Self {
        Self(Box::new(plan))
    }

    /// Returns the plan if it has this type.
    pub fn downcast<P: Any + Send>(self) -> Option<P> {
        self.0.downcast().ok().map(|plan| *plan)
    }
}

impl fmt::Debug for PreparedPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PreparedPlan")
    }
}

// === impl ScopeCheck ===

impl ScopeCheck {
    /// Makes a check for calls that another process has decided about.
    pub fn new(check: impl Fn(&Scope) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(check))
    }

    pub fn allows(&self, scope: &Scope) -> bool {
        (self.0)(scope)
    }
}

impl fmt::Debug for ScopeCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ScopeCheck")
    }
}
