//! The question that a person is asked.
use std::fmt;

use overt_policy::scope::Scope;
use overt_policy::word::string_enum;
use serde::{Deserialize, Serialize};

use super::candidates::{SeenTool, TrustedServerKey, TrustedTool};
use super::grant::{Grant, GrantLifetime, Holder, Terms};
use crate::definition::MemberChange;
use crate::description::{Irreversible, PlanSummary};

/// The name of a question, such as `q-17`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QuestionId(pub String);

/// A question about a call that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    pub holder: Holder,
    /// The server's identity.
    pub server: String,
    /// The project in which the server was started. `None` if it has none.
    pub project: Option<String>,
    pub tool: String,
    /// The digest of the tool's definition.
    pub tool_digest: String,
    pub kind: QuestionKind,
    /// The narrowest scopes that permit the call.
    pub scopes: Vec<Scope>,
    /// A wider choice that saves further questions: the folder around what the call needs.
    pub wider: Vec<Scope>,
    /// Choices that are wider still.
    pub broader: Broader,
    /// A digest of the arguments.
    pub arguments: String,
    /// The digest of the plan that the person sees. `None` if the tool has no plan.
    pub plan: Option<String>,
    pub shown: QuestionDetails,
    /// When an answer becomes useless, in seconds since 1970.
    pub until: u64,
}

/// What a person may allow beyond the call's needs, whatever the scopes are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Broader {
    /// This tool with any arguments, offered if the arguments make a difference.
    pub tool: bool,
    /// Every tool of the server, while the session lasts.
    pub server: bool,
    /// Every tool of the server that only reads, while the session lasts. Offered in a question
    /// about such a tool.
    pub reading: bool,
    /// A digest of the definitions of all tools of the server. A grant for more than one tool ends
    /// when it changes.
    pub server_digest: String,
}

string_enum! {
    /// How much a yes allows.
    pub enum Breadth {
        /// What the call needs.
        Call = "call",
        /// The folder around what the call needs.
        Folder = "folder",
        /// This tool, whatever its arguments are.
        Tool = "tool",
        /// Every tool of the server.
        Server = "server",
        /// Every tool of the server that only reads.
        Reads = "reads",
    }
}

/// What the person decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionKind {
    /// Whether this call may run.
    Call,
    /// How far to trust what the server says about its own tools.
    Trust,
}

/// What the person sees. A client's dialog, a terminal and a page show the same facts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct QuestionDetails {
    /// A sentence that says what the call will do.
    pub intent: String,
    /// Whether `intent` is only the tool's name and arguments, because the tool has no template.
    /// Next to a list of the arguments it adds nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub intent_is_generic: bool,
    /// Why a person is asked.
    pub reason: String,
    /// The client's name and version, as it reports them.
    pub client: Option<String>,
    /// The name that the server gives itself.
    pub server: String,
    /// The tool's title, if it has one.
    pub title: Option<String>,
    /// The first sentence of the tool's description, and what the server says about this call.
    pub description: Option<String>,
    /// The known effect and its source, such as `the server says: destructive`.
    pub effect: String,
    /// One line for each argument.
    pub arguments: Vec<String>,
    /// The arguments as JSON, with secrets hidden.
    pub arguments_json: String,
    /// What the plan will change. The diff and the page are stored separately as the question's
    /// [`Review`].
    pub changes: Option<PlanSummary>,
    /// Why there is no plan, although the tool makes plans.
    pub plan_failure: Option<String>,
    /// What the person chose, according to the client, if this is a proposal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposed: Option<String>,
    /// Scopes that the server requested in its answer to this call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub server_asks_for: Vec<String>,
    /// The tools of the server that claim to only read; `changing_tools` has the others. For a
    /// question about trust.
    pub reading_tools: Vec<String>,
    pub changing_tools: Vec<String>,
    /// The definitions of all these tools. A decision about the server covers exactly them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub definitions: Vec<SeenTool>,
    /// What changed in the tool since the person decided about its server, or that it is new.
    /// `None` if the person was shown it as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redefined: Option<Redefinition>,
}

/// The difference between a tool and the definition that a person was shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Redefinition {
    /// Whether the person was not shown the tool at all.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_new: bool,
    /// The members that differ. Empty if the earlier definition is not stored.
    pub members: Vec<MemberChange>,
    /// Other tools of the server that also changed. Overt asks about each of them separately.
    pub others: Vec<String>,
}

/// All changes of a plan, as text and as a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Review {
    pub diff: String,
    pub page: String,
}

/// A question stays open for this many seconds after its call has ended, because a yes counts when
/// the same call is made again.
pub const ANSWERABLE: u64 = 600;
/// A proposal ends after this many seconds (7 days).
const PROPOSED: u64 = 7 * 24 * 60 * 60;
/// For this many seconds after the deadline of a question, a timely answer still counts.
pub const GRACE: u64 = 5;

/// The result of asking a question for a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskOutcome {
    /// The question is open and people can see it. The caller must take its answer or leave it.
    Open(QuestionId),
    /// A person gave a yes to this question a moment ago, and its grant exists: attempt the call
    /// again.
    Granted,
    /// A person said that this session must not ask again. This counts as a no.
    Never,
    /// Too many questions are open, or they come too fast (SCP-10). This counts as a no.
    TooMany,
}

impl Question {
    /// Returns when the asking call gives up, in seconds since 1970.
    pub fn waits_until(&self) -> u64 {
        self.until.saturating_sub(ANSWERABLE)
    }

    /// Returns the wider scopes, plus those that the call needs and they don't cover. So a yes to
    /// the wider choice always allows the call.
    pub fn all_wider(&self) -> Vec<Scope> {
        let besides = self.scopes.iter().filter(|scope| !self.wider.iter().any(|wide| wide.covers(scope)));
        self.wider.iter().chain(besides).cloned().collect()
    }

    /// Returns the proposal that a choice in a dialog leaves: the same question, to be answered
    /// where a person is shown. `chosen` says what the client says that the person chose.
    #[must_use]
    pub fn proposal(&self, chosen: String, now: u64) -> Self {
        Self {
            holder: Holder::any_client(self.holder.principal.clone()),
            plan: None,
            until: now.saturating_add(PROPOSED),
            shown: QuestionDetails { proposed: Some(chosen), ..self.shown.clone() },
            ..self.clone()
        }
    }

    /// Returns whether no call waits for the answer, because a dialog gave what it could.
    pub fn is_proposal(&self) -> bool {
        self.shown.proposed.is_some()
    }

    /// Returns why the call can't be undone, if its plan says so.
    pub fn irreversible(&self) -> Option<&Irreversible> {
        self.shown.changes.as_ref()?.irreversible.as_ref()
    }

    /// Returns what the call changes that can start programs or permit tools, if its plan says so.
    /// The question is not for a client's dialog then.
    pub fn guarded(&self) -> Option<&str> {
        self.shown.changes.as_ref()?.guarded.as_deref()
    }

    /// Returns whether a yes can only be for this call: for example because it can't be undone.
    pub fn is_for_this_call_alone(&self) -> bool {
        self.shown.changes.as_ref().is_some_and(PlanSummary::needs_own_approval)
    }

    /// Returns whether a yes to this question gave this grant, for one call.
    pub fn gave_once(&self, grant: &Grant) -> bool {
        let Terms { lifetime, server, tools, arguments, .. } = &grant.terms;
        *lifetime == GrantLifetime::Once
            && grant.holder == self.holder
            && *server == self.server
            && tools.name() == Some(self.tool.as_str())
            && arguments.as_deref() == Some(self.arguments.as_str())
    }

    /// Returns whether the tool is new or changed since the person decided about its server.
    pub fn is_redefined(&self) -> bool {
        self.shown.redefined.is_some()
    }

    /// Returns whether this question can be answered with a yes of this breadth.
    pub fn has(&self, breadth: Breadth) -> bool {
        match breadth {
            Breadth::Call => true,
            _ if self.is_for_this_call_alone() => false,
            Breadth::Folder => !self.wider.is_empty(),
            Breadth::Tool => self.broader.tool,
            Breadth::Server => self.broader.server,
            Breadth::Reads => self.broader.reading,
        }
    }

    /// Returns the tool that an answer about trust covers.
    pub fn trusted_tool(&self) -> TrustedTool {
        TrustedTool {
            server: TrustedServerKey {
                principal: self.holder.principal.clone(),
                server: self.server.clone(),
                project: self.project.clone(),
            },
            tool: self.tool.clone(),
            digest: self.tool_digest.clone(),
        }
    }

    /// Returns the definitions that the question shows, which a decision about the server covers:
    /// the tool's own if it is new or changed, otherwise those of all tools.
    pub fn shown_definitions(&self) -> Vec<SeenTool> {
        match self.is_redefined() {
            true => vec![SeenTool { name: self.tool.clone(), digest: Some(self.tool_digest.clone()) }],
            false => self.shown.definitions.clone(),
        }
    }

    /// Returns whether one answer serves both questions (SCP-10): they are about the same call,
    /// with the same plan and the same choices, or about the same trust.
    pub fn is_same(&self, other: &Self) -> bool {
        let is_of_same = self.holder == other.holder
            && self.server == other.server
            && self.project == other.project
            && self.kind == other.kind;
        let (tool, other_tool) = (&self.tool, &other.tool);
        is_of_same
            && match self.kind {
                // One answer about a server serves all calls of the definitions that it shows. A
                // tool that is new or changed needs its own question.
                QuestionKind::Trust => match (self.is_redefined(), other.is_redefined()) {
                    (false, false) => self.shown.definitions == other.shown.definitions,
                    (one, other_one) => {
                        one == other_one && tool == other_tool && self.tool_digest == other.tool_digest
                    }
                },
                QuestionKind::Call => {
                    tool == other_tool
                        && self.tool_digest == other.tool_digest
                        && self.scopes == other.scopes
                        && self.wider == other.wider
                        && self.broader == other.broader
                        && self.arguments == other.arguments
                        && self.plan == other.plan
                }
            }
    }
}

impl fmt::Display for QuestionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
