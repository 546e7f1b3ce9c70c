//! The proof that something was permitted. It can't be made anywhere else, so it can't be forgotten.
use std::sync::{Arc, OnceLock};

use overt_policy::scope::Scope;
use overt_policy::setting::Values;
use overt_policy::{Decision, Limits, Verdict};
use overt_wire::{Exchange, Message};

use super::decide::{Policy, Refusal, judge};

/// Something that was allowed, and on what conditions. Only this crate can make one:
///
/// ```compile_fail,E0451
/// use overt_layers::Permitted;
/// let forged = Permitted { inner: "a call that nobody looked at", conditions: Default::default() };
/// ```
///
/// ```compile_fail,E0624
/// use overt_layers::Permitted;
/// # fn exchange() -> overt_wire::Exchange { unimplemented!() }
/// let forged = Permitted::new(exchange(), unimplemented!(), Default::default());
/// ```
///
/// With the right way beside it, so that the examples above fail for the right reason:
///
/// ```
/// use overt_layers::{Endpoint, Permitted};
/// use overt_wire::{BoxFuture, Exchange, Message};
/// struct Mine;
/// impl Endpoint for Mine {
///     fn call(&self, exchange: Permitted<Exchange>) -> BoxFuture<'_, Option<Message>> {
///         let _message = &exchange.get().message;
///         Box::pin(std::future::ready(None))
///     }
/// }
/// ```
#[derive(Debug)]
pub struct Permitted<T> {
    inner: T,
    conditions: Arc<Conditions>,
}

/// What holds for a permitted call and no other.
#[derive(Debug, Clone, Default)]
pub struct Conditions {
    pub limits: Limits,
    /// Only the plan of the call is wanted.
    pub preview: bool,
    /// What the endpoint's settings are worth in this call, after the client's configuration and the call's policy. None
    /// where they are worth what they always are.
    pub settings: Option<Values>,
    /// Decides about scopes that only the endpoint can know, such as that of the file a link led to. None where everything is
    /// allowed, or where the endpoint did not say that it would ask.
    pub scopes: Option<ScopeCheck>,
    pub telling: Arc<Telling>,
}

/// What is said about a call in its result. An endpoint that makes its results itself says it while it writes them, so that nobody
/// has to look for a place in a long text; for others it is done afterwards.
#[derive(Debug, Default)]
pub struct Telling {
    /// The sentence that says what the call does; none where the tool has none of its own.
    pub intent: Option<String>,
    told: OnceLock<Told>,
}

/// The result says what was to be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told {
    pub is_error: bool,
}

impl Telling {
    pub(crate) fn of(intent: Option<String>) -> Self {
        Self { intent, told: OnceLock::new() }
    }

    pub fn tell(&self, told: Told) {
        // A call has one result.
        let _ = self.told.set(told);
    }

    pub fn told(&self) -> Option<Told> {
        self.told.get().copied()
    }
}

/// Whether a call that was permitted may use this scope too.
#[derive(Clone)]
pub struct ScopeCheck(pub(crate) Arc<dyn Fn(&Scope) -> bool + Send + Sync>);

impl ScopeCheck {
    pub fn allows(&self, scope: &Scope) -> bool {
        (self.0)(scope)
    }
}

impl std::fmt::Debug for ScopeCheck {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ScopeCheck")
    }
}

/// The answer was yes. Nothing else makes a permit.
#[derive(Debug)]
pub(crate) struct Cleared(());

impl Cleared {
    /// Every judge is asked beside the decision: the least of all answers counts.
    pub(crate) fn by(
        decision: &Decision,
        judges: &[Arc<dyn Policy>],
        message: &Message,
    ) -> Result<Self, Option<Refusal>> {
        if decision.verdict != Verdict::Allow {
            return Err(None);
        }
        Self::by_judges(judges, message).map_err(Some)
    }

    /// For what needs no permission: lists, the handshake, notifications.
    pub(crate) fn by_judges(judges: &[Arc<dyn Policy>], message: &Message) -> Result<Self, Refusal> {
        for judge_of in judges {
            judge(&**judge_of, message)?;
        }
        Ok(Self(()))
    }
}

impl Permitted<Exchange> {
    pub(crate) fn new(exchange: Exchange, _cleared: Cleared, conditions: Arc<Conditions>) -> Self {
        Self { inner: exchange, conditions }
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
