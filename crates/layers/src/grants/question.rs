//! What somebody is asked, and the answer.
use std::fmt;

use super::{Holder, Lasts};
use overt_spec::scope::Scope;

/// The name of a question, such as `q-17`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QuestionId(pub String);

/// A call that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    pub holder: Holder,
    pub server: String,
    pub tool: String,
    /// What the call will do, in words.
    pub intent: String,
    /// Why it needs a person.
    pub reason: String,
    /// The narrowest scopes that let the call through.
    pub scopes: Vec<Scope>,
    /// A wider choice that saves further questions.
    pub wider: Vec<Scope>,
    /// A digest of the arguments.
    pub arguments: String,
    /// The arguments for whoever decides, redacted and cut.
    pub shown_arguments: String,
    /// Seconds since 1970 after which nobody waits any more.
    pub until: u64,
}

/// What a person said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Yes {
        lasts: Lasts,
        /// The wider scopes rather than the narrowest.
        wider: bool,
    },
    No,
    /// No, and nothing of this session need be asked again.
    NeverThisSession,
}

impl fmt::Display for QuestionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
