//! A proposal for the settings, made from what was done.
mod propose; // which scopes would have allowed it
mod splice; // the proposal in the text of a settings file

pub use propose::{LEAST_FILES, Observation, Proposal, Proposed, suggest};
pub use splice::with_allowed;
