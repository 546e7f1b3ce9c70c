//! What a person approved for one call. It stays valid while the server asks the client questions.
use overt_policy::scope::Scope;

/// What a person approved for one call. It stays valid after the server's own questions are
/// answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Approved {
    pub(super) tool_digest: String,
    pub(super) plan: Option<String>,
    pub(super) scopes: Vec<Scope>,
}

impl Approved {
    /// Returns whether the tool and the plan are unchanged and the call needs no more than was
    /// approved.
    pub(super) fn covers(&self, tool_digest: &str, plan: Option<&str>, scopes: &[Scope]) -> bool {
        let covered = |wanted: &Scope| self.scopes.iter().any(|approved| approved.covers(wanted));
        self.tool_digest == tool_digest && self.plan.as_deref() == plan && scopes.iter().all(covered)
    }
}
