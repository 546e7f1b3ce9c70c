//! Grants: what was allowed, to whom, and for how long.
use std::fmt;

use overt_policy::scope::{Action, Scope};
use overt_policy::word::{StringEnum as _, string_enum};

use super::error::StoreError;

string_enum! {
    /// How long a grant is valid.
    pub enum GrantLifetime {
        /// For one call with the arguments that were shown.
        Once = "once",
        /// Until the session ends.
        Session = "session",
        /// Until it is revoked.
        Always = "always",
    }
}

/// The tools of a server that a grant covers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GrantedTools {
    /// The tool with this exact name. The name is not a pattern.
    One(String),
    /// Every tool.
    Every,
    /// The tools that only read, by a declaration or by the server's claim.
    Reading,
}

string_enum! {
    /// Whether a grant allows or refuses calls.
    pub enum GrantVerdict {
        Allow = "allow",
        /// Overt refuses such calls without asking again.
        Refuse = "refuse",
    }
}

/// The name of a grant, such as `g-17`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GrantId(pub String);

/// The principal and session that may use a grant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Holder {
    pub principal: String,
    /// A digest of the session's id; the id itself is not stored. Without a session, a digest of
    /// the client's self-reported name and version. May be empty.
    pub session: String,
}

/// What a person agreed to, or refused for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    pub verdict: GrantVerdict,
    /// The client that asked, as it named itself. Only for display; it restricts nothing.
    pub client: Option<String>,
    pub server: String,
    /// The project in which the grant is valid. `None` if it is valid everywhere.
    pub project: Option<String>,
    pub tools: GrantedTools,
    /// The digest of the tool's definition that the person saw, or of all definitions of the server
    /// if the grant covers more than one tool. The grant ends when the digest changes. `None` for a
    /// grant in advance and for a refusal.
    pub tool_digest: Option<String>,
    pub scopes: Vec<Scope>,
    pub lifetime: GrantLifetime,
    /// A digest of the arguments that the person saw, for [`GrantLifetime::Once`].
    pub arguments: Option<String>,
    /// The digest of the plan that the person saw, for [`GrantLifetime::Once`].
    pub plan: Option<String>,
    /// When the grant ends, in seconds since 1970.
    pub expires: Option<u64>,
}

/// A permission, or a refusal for good, that has not been revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    pub id: GrantId,
    pub holder: Holder,
    pub terms: Terms,
    /// When the grant was given, in seconds since 1970.
    pub issued_at: u64,
}

/// The facts about a call that a grant must cover.
#[derive(Debug, Clone, Copy)]
pub struct Need<'a> {
    pub holder: &'a Holder,
    pub server: &'a str,
    /// The project in which the server was started. `None` if it has none.
    pub project: Option<&'a str>,
    pub tool: &'a str,
    /// The digest of the tool's current definition.
    pub tool_digest: &'a str,
    /// The digest of the current definitions of all tools of the server.
    pub server_digest: &'a str,
    /// Whether the tool only reads, by a declaration or by the server's claim.
    pub only_reads: bool,
    pub scopes: &'a [Scope],
    /// A digest of the arguments.
    pub arguments: &'a str,
    /// The digest of the plan that was just made.
    pub plan: Option<&'a str>,
    /// Whether the plan says that the call can't be undone. Only a grant for exactly this plan
    /// permits such a call.
    pub irreversible: bool,
}

/// The principal without a login: the user of this machine.
pub const LOCAL: &str = "local";

/// A prefix that marks a client instead of a session. No digest of a session begins with it.
const OF_CLIENT: &str = "client ";
/// The most scopes of one grant.
const MOST_SCOPES: usize = 1_000;

impl Grant {
    pub fn is_over(&self, now: u64) -> bool {
        self.terms.expires.is_some_and(|expires| expires <= now)
    }

    /// Returns whether the grant ends with this session.
    pub fn is_of_session(&self, session: &str) -> bool {
        self.terms.lifetime != GrantLifetime::Always && self.holder.session == session
    }

    /// Returns whether the grant permits this call. This is the only place that decides it; an
    /// index only finds candidates.
    pub fn permits(&self, need: &Need<'_>, now: u64) -> bool {
        let Terms { scopes, lifetime, arguments, plan, .. } = &self.terms;
        // An empty session id is not a session that two clients share.
        let same_session = self.holder.session == need.holder.session && !need.holder.session.is_empty();
        let in_reach = match lifetime {
            GrantLifetime::Always => true,
            GrantLifetime::Session => same_session && need.holder.has_session(),
            GrantLifetime::Once => {
                same_session && arguments.as_deref() == Some(need.arguments) && plan.as_deref() == need.plan
            }
        };
        let covered = |wanted: &Scope| scopes.iter().any(|granted| granted.covers(wanted));
        let is_for_this_plan = *lifetime == GrantLifetime::Once && plan.is_some();
        self.terms.verdict == GrantVerdict::Allow
            && in_reach
            && (is_for_this_plan || !need.irreversible)
            && self.is_about(need, now)
            && !need.scopes.is_empty()
            && need.scopes.iter().all(covered)
    }

    /// Returns whether a person refused this call for good. One refused scope among those that it
    /// needs is enough.
    pub fn refuses(&self, need: &Need<'_>, now: u64) -> bool {
        let refused = |wanted: &Scope| self.terms.scopes.iter().any(|scope| scope.overlaps(wanted));
        self.terms.verdict == GrantVerdict::Refuse
            && self.is_about(need, now)
            && need.scopes.iter().any(refused)
    }

    /// Returns whether the grant covers this tool, server, project and principal, whatever scopes
    /// the call needs.
    fn is_about(&self, need: &Need<'_>, now: u64) -> bool {
        let Terms { server, project, tools, tool_digest, .. } = &self.terms;
        let (is_of_tool, digest) = match tools {
            GrantedTools::One(tool) => (tool == need.tool, need.tool_digest),
            GrantedTools::Every => (true, need.server_digest),
            GrantedTools::Reading => (need.only_reads, need.server_digest),
        };
        is_of_tool
            && !self.is_over(now)
            && project.as_deref().is_none_or(|project| Some(project) == need.project)
            && tool_digest.as_deref().is_none_or(|seen| seen == digest)
            && self.holder.principal == need.holder.principal
            && server == need.server
    }
}

impl GrantedTools {
    /// Returns the name of the tool. `None` if the grant covers more than one tool.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::One(tool) => Some(tool),
            Self::Every | Self::Reading => None,
        }
    }
}

impl fmt::Display for GrantedTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::One(tool) => tool,
            Self::Every => "every tool",
            Self::Reading => "every tool that only reads",
        })
    }
}

impl Holder {
    /// Returns whether there is a session, which outlives a request and has an end.
    pub fn has_session(&self) -> bool {
        !self.session.is_empty() && !self.session.starts_with(OF_CLIENT)
    }

    /// Returns this holder. Without a session, returns a holder that stands for all clients of this
    /// name and version, so that a yes for one call counts when the same call is made again.
    #[must_use]
    pub fn or_of_client(self, client: &str) -> Self {
        match self.session.is_empty() {
            true => Self { session: format!("{OF_CLIENT}{client}"), ..self },
            false => self,
        }
    }
}

/// SCP-13: returns the first scope that is too wide for a lasting grant: a whole action, a whole
/// kind, or every path.
pub fn too_wide_to_last(scopes: &[Scope]) -> Option<&Scope> {
    scopes.iter().find(|scope| scope.is_too_wide_to_last())
}

/// Returns a scope for each action, which covers whatever a tool needs. Only a grant that names its
/// tools may use it.
pub fn every_scope() -> Vec<Scope> {
    Action::ALL.iter().map(|action| Scope::of(*action)).collect()
}

impl Terms {
    /// SCP-13: returns the scope that is too wide for a lasting grant, if there is one. A grant for
    /// one tool of one server is narrow enough, whatever the tool's arguments are.
    pub fn is_too_wide_to_last(&self) -> Option<&Scope> {
        let is_one_tool = self.tools.name().is_some() && self.scopes == every_scope();
        too_wide_to_last(&self.scopes).filter(|_| !is_one_tool && self.lifetime == GrantLifetime::Always)
    }

    /// Checks that a store may keep these terms.
    pub fn check(&self) -> Result<(), StoreError> {
        let why = match (self.scopes.len(), self.lifetime, &self.arguments) {
            (0, ..) => "a grant without a scope allows nothing".to_owned(),
            (many, ..) if many > MOST_SCOPES => {
                format!("a grant has at most {MOST_SCOPES} scopes, not {many}")
            }
            (_, GrantLifetime::Once, None) => "a grant for one call must name its arguments".to_owned(),
            (_, lifetime, _) if self.verdict == GrantVerdict::Refuse && lifetime != GrantLifetime::Always => {
                "what is refused for good is refused until it is revoked".to_owned()
            }
            _ => return Ok(()),
        };
        Err(StoreError { why })
    }
}

impl GrantId {
    /// Returns the grant's position in the order in which grants were given.
    pub fn number(&self) -> Option<u64> {
        self.0.strip_prefix("g-")?.parse().ok()
    }
}

impl fmt::Display for GrantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
