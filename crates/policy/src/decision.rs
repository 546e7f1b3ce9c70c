//! What was decided, and what each layer said.
use super::limits::Limits;
use crate::finding::Pointer;
use crate::scope::Scope;
use crate::word::string_enum;

string_enum! {
    /// From the least to the most; of several the least counts.
    pub enum Verdict {
        Deny = "deny",
        NeedsApproval = "needs_approval",
        Allow = "allow",
    }

    /// Who has a say.
    pub enum Layer {
        /// The operator's policy.
        Ceiling = "ceiling",
        /// What the operator allows and denies without a policy.
        Base = "base",
        /// What a person granted.
        Grant = "grant",
        /// Rules over what a tool is.
        Rules = "rules",
        /// What is declared about the tool itself.
        Declared = "declared",
        Session = "session",
        /// The policies of those who passed the call on.
        Delegation = "delegation",
        /// The policy of the call.
        Call = "call",
    }
}

/// The verdict of one layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerVerdict {
    pub layer: Layer,
    pub verdict: Verdict,
    pub why: String,
    /// Where in the layer's document.
    pub at: Pointer,
    /// What would have to change; empty if nothing has to.
    pub change: String,
    /// The id of the rule that said it.
    pub rule: Option<String>,
}

/// The outcome for one subject.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    pub verdict: Verdict,
    /// What the layers said that had something to say.
    pub said: Vec<LayerVerdict>,
    /// The scopes that the call needs.
    pub needed: Vec<Scope>,
    /// Those that a grant would have to cover. Empty unless the verdict is
    /// [`Verdict::NeedsApproval`].
    pub missing: Vec<Scope>,
    pub limits: Limits,
    /// Wider ones that a person could grant in place of the missing ones.
    pub wider: Vec<Scope>,
    /// Something could not be evaluated, which is a denial.
    pub error: bool,
}

impl Decision {
    /// What decided: the grant if there is one, or else the first that said the verdict. None if no
    /// layer had anything to say.
    pub fn decisive(&self) -> Option<&LayerVerdict> {
        let decided = |said: &&LayerVerdict| said.verdict == self.verdict;
        let grant = self.said.iter().filter(decided).find(|said| said.layer == Layer::Grant);
        grant.or_else(|| self.said.iter().find(decided))
    }

    /// What to ask a person for: the narrowest first, the wider choice second. Empty where nothing
    /// can be granted.
    pub fn requested(&self) -> Vec<Scope> {
        self.missing.iter().chain(&self.wider).cloned().collect()
    }

    pub fn is_allowed(&self) -> bool {
        self.verdict == Verdict::Allow
    }
}
