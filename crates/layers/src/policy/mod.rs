//! What may be done, and the proof of it. Pure: no IO, no clock.
mod decide; // judges beside the decision
mod permit; // the proof that a question was answered with yes

pub(crate) use decide::Named;
pub use decide::{AllowAll, Ask, Policy, Refusal, Verdict};
pub(crate) use permit::Cleared;
pub use permit::{Conditions, Permitted, ScopeCheck, Telling, Told};
