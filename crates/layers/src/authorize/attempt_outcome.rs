//! What an attempt to let a call through comes to.
use std::sync::Arc;

use overt_policy::Limits;
use overt_wire::{Exchange, Message};

use super::answers::RequestedScopes;
use super::approved::Approved;
use super::effective::EffectivePolicy;
use crate::grants::{Question, Review};
use crate::permit::{Permitted, ResultAnnotation};

/// The outcome of an attempt.
pub(super) enum Attempt {
    /// The call may run now.
    Run(Box<Run>),
    /// A person must be asked first.
    Ask(Box<ApprovalRequest>),
    /// It will not run: this is the answer.
    Answer(Option<Message>),
    /// A grant was gone before it could be spent, or the policy or the tools changed while the call
    /// was planned and recorded.
    Again,
}

/// A call that may run.
pub(super) struct Run {
    pub(super) permitted: Permitted<Exchange>,
    pub(super) limits: Limits,
    pub(super) annotation: Arc<ResultAnnotation>,
    /// What a person approved for this call alone: the grant is spent now.
    pub(super) approved: Option<Approved>,
}

/// A call that needs a person.
pub(super) struct ApprovalRequest {
    pub(super) question: Question,
    pub(super) review: Option<Review>,
    /// For the client's program: what would have to be granted.
    pub(super) requested: RequestedScopes,
    pub(super) effective: EffectivePolicy,
}

/// One step of an attempt. It fails with the outcome of the whole attempt.
pub(super) type Step<T> = Result<T, Attempt>;
