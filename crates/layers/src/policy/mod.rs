//! What may be done. Pure: no IO, no clock.
mod decide; // the question, the verdict, and who answers it
mod permit; // the proof that a question was answered with yes

pub use decide::{AllowAll, Ask, Policy, Refusal, Verdict};
pub use permit::Permitted;
