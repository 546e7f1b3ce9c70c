//! What a person decides about questions, grants and servers.
mod error; // why nothing was decided, and what to do
mod answer; // the one way to answer a question
mod grants; // grants in advance, and their end
mod trust; // how far a server is trusted
mod coverage; // changed tools: pin and trust, settled together

pub use answer::{Answered, answer, check_fits};
pub use coverage::{PendingChanges, cover_accepted, local, seen_tool};
pub use error::{DecisionError, no_grant, no_question};
pub use grants::{give, in_advance, is_lasting, revoke};
pub use trust::{forget_trust, set_trust, trust_in};
