//! What was allowed, to whom, for how long.
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

/// Which tools of a server a grant is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GrantedTools {
    /// The tool with this name, which is not a pattern.
    One(String),
    /// Every tool.
    Every,
    /// The tools that only read: declared so, or the server says so.
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

/// Who may use a grant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Holder {
    pub principal: String,
    /// A digest of the session's id; the id itself is kept nowhere. Where there is no session, a
    /// digest of what the client says it is.
    pub session: String,
}

/// What a person agreed to, or refused for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    pub verdict: GrantVerdict,
    /// The client that asked, as it named itself. Only to be shown: it binds nothing.
    pub client: Option<String>,
    pub server: String,
    /// The project in which it holds; none if it holds everywhere.
    pub project: Option<String>,
    pub tools: GrantedTools,
    /// Of the tool's definition that the person saw, or of all definitions of the server for more
    /// than one tool; the grant ends when it changes. None for a grant in advance and for a
    /// refusal.
    pub tool_digest: Option<String>,
    pub scopes: Vec<Scope>,
    pub lifetime: GrantLifetime,
    /// A digest of the arguments, for [`GrantLifetime::Once`]: the person saw these and no others.
    pub arguments: Option<String>,
    /// The digest of the plan that was shown, for [`GrantLifetime::Once`].
    pub plan: Option<String>,
    /// Seconds since 1970 at which it is over.
    pub expires: Option<u64>,
}

/// Something that was allowed, or refused for good, and not taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    pub id: GrantId,
    pub holder: Holder,
    pub terms: Terms,
    /// Seconds since 1970.
    pub given: u64,
}

/// What a call needs a grant for.
#[derive(Debug, Clone, Copy)]
pub struct Need<'a> {
    pub holder: &'a Holder,
    pub server: &'a str,
    /// The project that the server was started in; none if it has none.
    pub project: Option<&'a str>,
    pub tool: &'a str,
    /// Of the tool's definition as it is now.
    pub tool_digest: &'a str,
    /// Of the definitions of all tools of the server as they are now.
    pub server_digest: &'a str,
    /// The tool is declared to only read, or the server says so.
    pub only_reads: bool,
    pub scopes: &'a [Scope],
    /// A digest of the arguments.
    pub arguments: &'a str,
    /// The digest of the plan that was made now.
    pub plan: Option<&'a str>,
    /// The plan says that the call can't be undone: only a grant for this very plan lets it
    /// through.
    pub irreversible: bool,
}

/// The principal where there is no login: the user of this machine.
pub const LOCAL: &str = "local";

/// No digest of a session begins so.
const OF_CLIENT: &str = "client ";
/// The most scopes of one grant.
const MOST_SCOPES: usize = 1_000;

impl Grant {
    pub fn is_over(&self, now: u64) -> bool {
        self.terms.expires.is_some_and(|expires| expires <= now)
    }

    /// Whether it goes when the session does.
    pub fn is_of_session(&self, session: &str) -> bool {
        self.terms.lifetime != GrantLifetime::Always && self.holder.session == session
    }

    /// Whether it lets this call through. The one place that says so; an index only finds
    /// candidates.
    pub fn permits(&self, need: &Need<'_>, now: u64) -> bool {
        let Terms { scopes, lifetime, arguments, plan, .. } = &self.terms;
        // Clients without a session have nothing in common but that.
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

    /// Whether a person refused this call for good: one of the things that it needs is enough.
    pub fn refuses(&self, need: &Need<'_>, now: u64) -> bool {
        let refused = |wanted: &Scope| self.terms.scopes.iter().any(|scope| scope.overlaps(wanted));
        self.terms.verdict == GrantVerdict::Refuse
            && self.is_about(need, now)
            && need.scopes.iter().any(refused)
    }

    /// Whether it is about such a call of such a client, whatever the call needs.
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
    /// The name of the tool; none if it is about more than one.
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
    /// Whether there is something that lasts longer than a request and ends.
    pub fn has_session(&self) -> bool {
        !self.session.is_empty() && !self.session.starts_with(OF_CLIENT)
    }

    /// This holder, or without a session all clients of one name and version: a yes for one call
    /// counts for the same call made again.
    #[must_use]
    pub fn or_of_client(self, client: &str) -> Self {
        match self.session.is_empty() {
            true => Self { session: format!("{OF_CLIENT}{client}"), ..self },
            false => self,
        }
    }
}

/// SCP-13: the first of these that is too wide for a lasting grant: a whole action, a whole kind,
/// every path.
pub fn too_wide_to_last(scopes: &[Scope]) -> Option<&Scope> {
    scopes.iter().find(|scope| scope.is_too_wide_to_last())
}

/// Whatever a tool needs: a scope of each action. Only a grant that names its tools may have it.
pub fn every_scope() -> Vec<Scope> {
    Action::ALL.iter().map(|action| Scope::of(*action)).collect()
}

impl Terms {
    /// SCP-13: the scope that is too wide for a lasting grant, if there is one. One tool of one
    /// server is narrow enough whatever its arguments are.
    pub fn is_too_wide_to_last(&self) -> Option<&Scope> {
        let is_one_tool = self.tools.name().is_some() && self.scopes == every_scope();
        too_wide_to_last(&self.scopes).filter(|_| !is_one_tool && self.lifetime == GrantLifetime::Always)
    }

    /// Whether a store may keep this.
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
    /// Its place in the order in which grants were given.
    pub fn number(&self) -> Option<u64> {
        self.0.strip_prefix("g-")?.parse().ok()
    }
}

impl fmt::Display for GrantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
