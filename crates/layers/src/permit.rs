//! The proof that a call was decided, approved and recorded. It has one constructor, so nothing can
//! skip a step.
use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

use overt_policy::scope::Scope;
use overt_policy::setting::SettingValues;
use overt_policy::{Decision, Limits, Verdict};
use overt_wire::{Exchange, Message, Method};

use crate::audit::Receipt;
use crate::veto::NamedItem;

/// Something that was allowed and recorded, and on what conditions. Only this crate can make one,
/// from an allow decision and an audit receipt:
///
/// ```compile_fail,E0451
/// use overt_layers::Permitted;
/// let forged = Permitted { inner: "a call that was not decided", conditions: Default::default(), plan: None };
/// ```
///
/// ```compile_fail,E0624
/// use overt_layers::Permitted;
/// # fn exchange() -> overt_wire::Exchange { unimplemented!() }
/// # fn decision() -> overt_policy::Decision { unimplemented!() }
/// # fn receipt() -> overt_layers::audit::Receipt { unimplemented!() }
/// let forged = Permitted::new(exchange(), &decision(), receipt(), Default::default(), None);
/// ```
///
/// Nor can another crate make the receipt:
///
/// ```compile_fail,E0423
/// let forged = overt_layers::audit::Receipt(overt_layers::audit::RecordState::Durable);
/// ```
///
/// With the right way beside it, so that the examples above fail for the right reason:
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

/// What an endpoint is handed: a permitted call, or a request that reads no content and changes
/// nothing.
#[derive(Debug)]
pub enum Admitted {
    Permitted(Permitted<Exchange>),
    Unprivileged(Unprivileged),
}

/// A request that needs no permission: the handshake, lists, notifications, the fate of a call that
/// was permitted. Lists are filtered afterwards by the same decision.
#[derive(Debug)]
pub struct Unprivileged(Exchange);

/// What holds for a permitted call and no other.
#[derive(Debug, Clone, Default)]
pub struct Conditions {
    pub limits: Limits,
    /// Only the plan of the call is wanted.
    pub preview: bool,
    /// The endpoint's settings in this call, after the client's configuration and the call's
    /// policy. None where neither changes them.
    pub settings: Option<SettingValues>,
    /// Decides about scopes that only the endpoint can know, such as that of the file that a link
    /// led to. None if the endpoint did not say that it would ask.
    pub scopes: Option<ScopeCheck>,
    pub annotation: Arc<ResultAnnotation>,
}

/// What a result says about its call. An endpoint that builds its results itself writes it while it
/// writes them; for others it is added afterwards.
#[derive(Debug, Default)]
pub struct ResultAnnotation {
    /// The sentence that says what the call does; none where the tool has no template.
    pub intent: Option<String>,
    written: OnceLock<Annotated>,
    refusal: OnceLock<String>,
}

/// The endpoint has written the annotation into a result that ends the call: it asks no question
/// and needs no further scope. What is known of it here is not looked for in its text, which may be
/// long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Annotated {
    pub is_error: bool,
    /// An item of its content may name a resource.
    pub may_have_uris: bool,
}

/// A plan that the endpoint made and will apply. Nothing else looks inside.
pub struct PreparedPlan(Box<dyn Any + Send>);

/// Whether a call may use a scope that was found out while it was planned or run.
#[derive(Clone)]
pub struct ScopeCheck(pub(crate) Arc<dyn Fn(&Scope) -> bool + Send + Sync>);

// === impl Permitted ===

impl Permitted<Exchange> {
    /// None unless the decision is to allow.
    pub(crate) fn new(
        exchange: Exchange,
        decision: &Decision,
        _receipt: Receipt,
        conditions: Arc<Conditions>,
        plan: Option<PreparedPlan>,
    ) -> Option<Self> {
        (decision.verdict == Verdict::Allow).then_some(Self { inner: exchange, conditions, plan })
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

    /// The exchange, its conditions, and the plan that was made for it.
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
    /// Gives the exchange back if its method needs a permission.
    pub(crate) fn new(exchange: Exchange) -> Result<Self, Box<Exchange>> {
        match needs_permission(&exchange.message) {
            false => Ok(Self(exchange)),
            true => Err(Box::new(exchange)),
        }
    }
}

/// Whether a method can read content or change something: a tool, a resource, a prompt, or a method
/// that Overt does not know.
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
        // Changes of lists are for all clients; those of a resource are for clients that may read
        // it.
        Method::Listen => !NamedItem::of(Method::Listen, message.params()).is_empty(),
        // A request for the result of a permitted call, by the names of 2025-11-25, is not a new
        // call.
        Method::Other(name) => !matches!(name, "tasks/result" | "tasks/list"),
        _ => false,
    }
}

// === impl ResultAnnotation ===

impl ResultAnnotation {
    pub(crate) fn new(intent: Option<String>) -> Self {
        Self { intent, ..Self::default() }
    }

    /// The endpoint calls this when it has written the annotation into the result.
    pub fn set_written(&self, annotated: Annotated) {
        // A call has one result.
        let _ = self.written.set(annotated);
    }

    pub(crate) fn written(&self) -> Option<Annotated> {
        self.written.get().copied()
    }

    /// The endpoint calls this when it answers with an error because what is in force does not
    /// allow the call, with what the error says.
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

    /// The plan, if it is of this type.
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
    pub fn allows(&self, scope: &Scope) -> bool {
        (self.0)(scope)
    }
}

impl fmt::Debug for ScopeCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ScopeCheck")
    }
}
