//! Proposes settings and grants from past calls.
mod observation; // a past call
mod propose; // a proposal that would have allowed the calls
mod folders; // folders instead of their files
mod grants; // grants instead of questions
mod splice; // the proposal in the text of a settings file

pub use folders::LEAST_FILES;
pub use grants::ProposedGrant;
pub use observation::{ApprovalState, Observation};
pub use propose::{Paths, Proposal, ProposedScope, suggest};
pub use splice::with_allowed;
