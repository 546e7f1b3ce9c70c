//! A proposal for the settings and the grants, made from what was done.
mod observation; // what was done
mod propose; // what would have allowed it
mod folders; // folders in the place of their files
mod grants; // grants in the place of questions
mod splice; // the proposal in the text of a settings file

pub use folders::LEAST_FILES;
pub use grants::ProposedGrant;
pub use observation::{ApprovalState, Observation};
pub use propose::{Paths, Proposal, ProposedScope, suggest};
pub use splice::with_allowed;
