//! Grants: what was allowed, to whom, and for how long.
use std::fmt;

use overt_policy::scope::{Action, Scope};
use overt_policy::word::{StringEnum as _, string_enum};
use overt_wire::Principal;

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

/// For whom something is kept: a principal, and one of its clients.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Holder {
    pub principal: Principal,
    pub client: HolderClient,
}

/// The client of a holder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HolderClient {
    /// A session, which outlives a request and has an end. A digest of its id; the id itself is not
    /// stored.
    Session(String),
    /// All clients without a session that report the same name and version. A digest of both.
    Profile(String),
    /// No particular client.
    Any,
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

/// A grant that was given, and its token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenGrant {
    pub grant: Grant,
    pub token: String,
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
    /// Whether a person is asked about each such call, as its plan says: it can't be undone, or
    /// changes what starts programs. Only a grant for exactly this plan permits it.
    pub each_time: bool,
}

/// Marks a profile in the text of a client. No digest of a session begins with it.
const PROFILE: &str = "client ";
/// The most scopes of one grant.
const MOST_SCOPES: usize = 1_000;

impl Grant {
    pub fn is_over(&self, now: u64) -> bool {
        self.terms.expires.is_some_and(|expires| expires <= now)
    }

    /// Returns whether the grant ends with the session of this holder.
    pub fn is_of_session(&self, holder: &Holder) -> bool {
        self.terms.lifetime != GrantLifetime::Always && self.holder == *holder
    }

    /// Returns whether the grant permits this call. This is the only place that decides it; an
    /// index only finds candidates.
    pub fn permits(&self, need: &Need<'_>, now: u64) -> bool {
        let Terms { scopes, lifetime, arguments, plan, .. } = &self.terms;
        let same_client = self.holder.client == need.holder.client && need.holder.client != HolderClient::Any;
        let in_reach = match lifetime {
            GrantLifetime::Always => true,
            GrantLifetime::Session => same_client && need.holder.has_session(),
            GrantLifetime::Once => {
                same_client && arguments.as_deref() == Some(need.arguments) && plan.as_deref() == need.plan
            }
        };
        let covered = |wanted: &Scope| scopes.iter().any(|granted| granted.covers(wanted));
        let is_for_this_plan = *lifetime == GrantLifetime::Once && plan.is_some();
        self.terms.verdict == GrantVerdict::Allow
            && in_reach
            && (is_for_this_plan || !need.each_time)
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

impl GivenGrant {
    /// Returns whether the grant outlasts sessions.
    pub fn is_lasting(&self) -> bool {
        self.grant.terms.lifetime == GrantLifetime::Always
    }
}

impl Holder {
    /// Returns the holder that stands for every client of a principal.
    pub fn any_client(principal: Principal) -> Self {
        Self { principal, client: HolderClient::Any }
    }

    /// Returns the holder for one session of a principal.
    pub fn session(principal: Principal, digest: impl Into<String>) -> Self {
        Self { principal, client: HolderClient::Session(digest.into()) }
    }

    pub fn has_session(&self) -> bool {
        matches!(self.client, HolderClient::Session(_))
    }
}

impl HolderClient {
    /// Returns the client as one text, for a store.
    pub fn to_text(&self) -> String {
        match self {
            Self::Session(digest) => digest.clone(),
            Self::Profile(digest) => format!("{PROFILE}{digest}"),
            Self::Any => String::new(),
        }
    }

    /// Reads what [`HolderClient::to_text`] wrote.
    pub fn from_text(text: String) -> Self {
        match text.strip_prefix(PROFILE) {
            Some(digest) => Self::Profile(digest.to_owned()),
            None if text.is_empty() => Self::Any,
            None => Self::Session(text),
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
