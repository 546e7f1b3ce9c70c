//! The outcome of an attempt to permit a call.
use std::sync::Arc;

use overt_policy::Limits;
use overt_wire::{Exchange, Message};

use super::answers::RequestedScopes;
use super::effective::EffectivePolicy;
use crate::decide::Approved;
use crate::grants::{Question, Review};
use crate::permit::{Permitted, ResultAnnotation};

/// The outcome of an attempt.
pub(super) enum Attempt {
    /// The call may run now.
    Run(Box<Run>),
    /// A person must be asked first.
    Ask(Box<ApprovalRequest>),
    /// The call will not run. This is the answer.
    Answer(Option<Message>),
    /// Attempt the call again: a grant disappeared before it could be spent, or the policy or the
    /// tools changed while the call was planned and recorded.
    Again,
}

/// A call that may run.
pub(super) struct Run {
    pub(super) permitted: Permitted<Exchange>,
    pub(super) limits: Limits,
    pub(super) annotation: Arc<ResultAnnotation>,
    /// What a person approved for this call alone. Its grant is already spent.
    pub(super) approved: Option<Approved>,
    /// Whether the answer is marked as a preview.
    pub(super) marks_preview: bool,
}

/// A call that needs a person's approval.
pub(super) struct ApprovalRequest {
    pub(super) question: Question,
    pub(super) review: Option<Review>,
    /// The scopes that would have to be granted, for the client's program.
    pub(super) requested: RequestedScopes,
    pub(super) effective: EffectivePolicy,
}

/// The result of one step. An error is the outcome of the whole attempt.
pub(super) type Step<T> = Result<T, Attempt>;
