//! A decision and the verdicts of the layers that led to it.
use super::limits::Limits;
use crate::finding::Pointer;
use crate::scope::Scope;
use crate::word::string_enum;

string_enum! {
    /// From the most to the least restrictive. The most restrictive of several verdicts counts.
    pub enum Verdict {
        Deny = "deny",
        NeedsApproval = "needs_approval",
        Allow = "allow",
    }

    /// The sources of verdicts.
    pub enum Layer {
        /// The operator's policy.
        Ceiling = "ceiling",
        /// What the operator allows and denies outside of a policy.
        Base = "base",
        /// What a person granted.
        Grant = "grant",
        /// Rules about the properties of tools.
        Rules = "rules",
        /// What is declared about the tool itself.
        Declared = "declared",
        Session = "session",
        /// The policies of the callers that passed the call on.
        Delegation = "delegation",
        /// The policy of the call itself.
        Call = "call",
    }
}

/// The verdict of one layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerVerdict {
    pub layer: Layer,
    pub verdict: Verdict,
    pub why: String,
    /// The place in the layer's document.
    pub at: Pointer,
    /// What would have to change to allow the call; empty if nothing has to change.
    pub change: String,
    /// The id of the rule that gave this verdict.
    pub rule: Option<String>,
}

/// The decision about one subject.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    pub verdict: Verdict,
    /// The verdicts of the layers that had something to say.
    pub verdicts: Vec<LayerVerdict>,
    /// The scopes that the call needs.
    pub needed: Vec<Scope>,
    /// The scopes that a grant would have to cover. Empty unless the verdict is
    /// [`Verdict::NeedsApproval`].
    pub missing: Vec<Scope>,
    pub limits: Limits,
    /// Wider scopes that a person could grant instead of the missing ones.
    pub wider: Vec<Scope>,
    /// True if something could not be evaluated, which is a denial.
    pub error: bool,
}

impl Decision {
    /// Returns what decided: the grant if it allowed the call, otherwise the first layer with the
    /// final verdict. `None` if no layer had anything to say.
    pub fn decisive(&self) -> Option<&LayerVerdict> {
        let decided = |said: &&LayerVerdict| said.verdict == self.verdict;
        let grant = self.verdicts.iter().filter(decided).find(|said| said.layer == Layer::Grant);
        grant.or_else(|| self.verdicts.iter().find(decided))
    }

    /// Returns the scopes to ask a person for: the missing ones first, then the wider alternatives.
    /// Empty if nothing can be granted.
    pub fn requested(&self) -> Vec<Scope> {
        self.missing.iter().chain(&self.wider).cloned().collect()
    }

    pub fn is_allowed(&self) -> bool {
        self.verdict == Verdict::Allow
    }
}
