//! What a person's answers may change about one call. A decision is made without them first; only
//! if an answer could matter are they looked up, once, and the decision is made again with them.
use overt_policy::Trust;
use overt_policy::scope::Scope;
use overt_wire::Principal;
use serde::{Deserialize, Serialize};

use super::{Grant, GrantLifetime, Holder, HolderClient, Need};

/// The call whose candidates are looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CandidateQuery {
    pub holder: Holder,
    pub tool: TrustedTool,
    /// Sets of scopes. One grant must cover a whole set to matter.
    pub wanted: Vec<Vec<Scope>>,
    /// A digest of the arguments.
    pub arguments: String,
    /// The token of a grant that the client sent.
    pub token: Option<String>,
}

/// The grants, refusals and trust that may matter for a call. Which of them applies is decided by
/// [`Grant::permits`] and [`Grant::refuses`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Candidates {
    /// The time of the lookup, in seconds since 1970.
    pub now: u64,
    pub grants: Vec<Grant>,
    /// The grant of the client's token, if Overt made the token and it is unchanged.
    pub of_token: Option<Grant>,
    pub trust: ToolTrust,
}

/// What a person's decision about a server says about one of its tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ToolTrust {
    /// The person has not decided about the server.
    #[default]
    Undecided,
    /// The person was shown the tool's definition as it is.
    Shown(Trust),
    /// The person was not shown this definition: the tool is new, or it changed.
    NotShown(Trust),
}

/// A tool of a server, for decisions about trust.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TrustedTool {
    pub server: TrustedServerKey,
    /// Empty for the server as a whole.
    pub tool: String,
    /// The digest of the tool's definition.
    pub digest: String,
}

/// A server in a project, as one principal uses it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TrustedServerKey {
    pub principal: Principal,
    pub server: String,
    /// `None` if the server was not started in a project.
    pub project: Option<String>,
}

/// A tool with the digest of the definition that a person saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenTool {
    pub name: String,
    /// `None` if the definition is too long to be kept, so that trust can't refer to it.
    pub digest: Option<String>,
}

/// What of a person's answers a call depends on when it goes out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reliance {
    pub grant: Option<Grant>,
    /// The tool, the client that calls it, and how much its person wants to be asked.
    pub trust: Option<(TrustedTool, HolderClient, Trust)>,
}

/// A call's use of a person's answers. Dropping it gives back a grant for one call, as if the call
/// had never asked for it.
#[must_use = "a grant for one call is given back when this is dropped"]
pub struct Spent(Option<Box<dyn FnOnce() + Send>>);

impl Candidates {
    /// Returns the grant that permits this call. A lasting grant is preferred to one that would be
    /// used up.
    pub fn covering(&self, need: &Need<'_>) -> Option<&Grant> {
        let permits = |grant: &&Grant| grant.permits(need, self.now);
        let is_once = |grant: &&Grant| grant.terms.lifetime == GrantLifetime::Once;
        let of_token = self.of_token.iter().find(permits);
        of_token.or_else(|| self.grants.iter().filter(permits).min_by_key(is_once))
    }

    /// Returns the refusal for good that covers this call, if there is one.
    pub fn refusing(&self, need: &Need<'_>) -> Option<&Grant> {
        self.grants.iter().find(|grant| grant.refuses(need, self.now))
    }
}

impl ToolTrust {
    /// Returns how much the person wants to be asked, if the decision covers the tool.
    pub fn covering(self) -> Option<Trust> {
        match self {
            Self::Shown(trust) => Some(trust),
            Self::Undecided | Self::NotShown(_) => None,
        }
    }

    /// Returns what applies of the decision for a project and the one for a session.
    pub fn or_in_session(self, session: Self) -> Self {
        match (self, session) {
            (Self::Undecided, _) | (Self::NotShown(_), Self::Shown(_)) => session,
            (Self::Shown(_) | Self::NotShown(_), _) => self,
        }
    }
}

impl Reliance {
    pub fn is_empty(&self) -> bool {
        self.grant.is_none() && self.trust.is_none()
    }
}

impl Spent {
    /// Nothing was used up.
    pub fn nothing() -> Self {
        Self(None)
    }

    pub fn with_give_back(give_back: impl FnOnce() + Send + 'static) -> Self {
        Self(Some(Box::new(give_back)))
    }

    /// The call goes out.
    pub fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for Spent {
    fn drop(&mut self) {
        if let Some(give_back) = self.0.take() {
            give_back();
        }
    }
}

impl std::fmt::Debug for Spent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Spent").field(&self.0.is_some()).finish()
    }
}
