//! The outcome of planning a call.
use crate::description::CallPlan;
use crate::permit::PreparedPlan;

/// The outcome of planning a call.
pub(super) enum PlanOutcome {
    /// The tool has no plan.
    No,
    Yes {
        plan: Box<CallPlan>,
        has_found: bool,
    },
    /// The plan failed, and the caller may not see the reason.
    Failed {
        reason: String,
        has_found: bool,
    },
}

impl PlanOutcome {
    pub(super) fn digest(&self) -> Option<&str> {
        match self {
            Self::Yes { plan, .. } => plan.digest.as_deref(),
            Self::No | Self::Failed { .. } => None,
        }
    }

    /// Returns whether the plan needs scopes that the arguments did not reveal.
    pub(super) fn found_scopes(&self) -> bool {
        matches!(self, Self::Yes { has_found: true, .. } | Self::Failed { has_found: true, .. })
    }

    pub(super) fn into_prepared(self) -> Option<PreparedPlan> {
        match self {
            Self::Yes { plan, .. } => Some(plan.prepared),
            Self::No | Self::Failed { .. } => None,
        }
    }
}
