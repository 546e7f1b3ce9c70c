//! What a person is asked.
use std::fmt;

use overt_policy::scope::Scope;
use overt_policy::word::string_enum;
use serde::{Deserialize, Serialize};

use super::grant::Holder;
use crate::definition::MemberChange;
use crate::description::{Irreversible, PlanSummary};

/// The name of a question, such as `q-17`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QuestionId(pub String);

/// A call that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    pub holder: Holder,
    /// The identity of the server.
    pub server: String,
    /// The project that the server was started in; none if it has none.
    pub project: Option<String>,
    pub tool: String,
    /// Of the tool's definition.
    pub tool_digest: String,
    pub kind: QuestionKind,
    /// The narrowest scopes that let the call through.
    pub scopes: Vec<Scope>,
    /// A wider choice that saves further questions: the folder around what the call needs.
    pub wider: Vec<Scope>,
    /// Choices that are wider still.
    pub broader: Broader,
    /// A digest of the arguments.
    pub arguments: String,
    /// The digest of the plan that is shown; none where the tool has no plan.
    pub plan: Option<String>,
    pub shown: QuestionDetails,
    /// Seconds since 1970 at which an answer is of no use any more.
    pub until: u64,
}

/// What a person may allow beyond what the call needs, whatever the scopes are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Broader {
    /// This tool with other arguments too, where they make a difference.
    pub tool: bool,
    /// Every tool of the server, while the session lasts.
    pub server: bool,
    /// Every tool of the server that only reads, while the session lasts: for a question about such
    /// a tool.
    pub reading: bool,
    /// Of the definitions of all tools of the server: what is allowed to more than one of them ends
    /// when it changes.
    pub server_digest: String,
}

string_enum! {
    /// How much a yes allows.
    pub enum Breadth {
        /// What the call needs.
        Call = "call",
        /// The folder around it.
        Folder = "folder",
        /// This tool, whatever its arguments are.
        Tool = "tool",
        /// Every tool of the server.
        Server = "server",
        /// Every tool of the server that only reads.
        Reads = "reads",
    }
}

/// What the person decides about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionKind {
    /// Whether this call may run.
    Call,
    /// How far to believe what the server says about its own tools.
    Trust,
}

/// What the person is shown: the same facts in a client's dialog, in a terminal and on a page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct QuestionDetails {
    /// What the call will do, in words.
    pub intent: String,
    /// The words are the tool's name and its arguments, because the tool has no template. Beside
    /// the arguments they say nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub intent_is_generic: bool,
    /// Why a person is asked.
    pub reason: String,
    /// The client's name and version, as it says.
    pub client: Option<String>,
    /// The server's own name.
    pub server: String,
    /// The tool's title, where it has one.
    pub title: Option<String>,
    /// The first sentence of the tool's description.
    pub description: Option<String>,
    /// What is known of the effect and from whom, such as `the server verdict: destructive`.
    pub effect: String,
    /// A line for each argument.
    pub arguments: Vec<String>,
    /// The arguments as JSON, with secrets hidden.
    pub arguments_json: String,
    /// What the plan will change. The diff and the page are kept beside the question, as its
    /// [`Review`].
    pub changes: Option<PlanSummary>,
    /// Why there is no plan although the tool makes one.
    pub plan_failure: Option<String>,
    /// Scopes that the server asked for in its answer to this very call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub server_asks_for: Vec<String>,
    /// The tools of the server that say they only read, and the others: for a question about trust.
    pub reading_tools: Vec<String>,
    pub changing_tools: Vec<String>,
    /// What changed in the tool since the person trusted its server; none if nothing did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redefined: Option<Redefinition>,
}

/// How a tool differs from what a person trusted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Redefinition {
    /// The members that differ. Empty where the definition before is not kept.
    pub members: Vec<MemberChange>,
    /// Other tools of the server that changed too. Each asks for itself.
    pub others: Vec<String>,
}

/// All that a plan will change, as text and as a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Review {
    pub diff: String,
    pub page: String,
}

/// A question stays open for so many seconds after its call has ended: a yes counts for the same
/// call made again.
pub const ANSWERABLE: u64 = 600;

/// What happened to a question that a call wants to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskOutcome {
    /// People can see it. The caller closes it.
    Open(QuestionId),
    /// A person said that this session need not ask again: that is a no.
    Never,
    /// Too many are open, or they come too fast (SCP-10): that is a no.
    TooMany,
}

impl Question {
    /// Seconds since 1970 at which the call that asks gives up.
    pub fn waits_until(&self) -> u64 {
        self.until.saturating_sub(ANSWERABLE)
    }

    /// The wider choice, with what the call needs besides: to allow more is to allow the call.
    pub fn all_wider(&self) -> Vec<Scope> {
        let besides = self.scopes.iter().filter(|scope| !self.wider.iter().any(|wide| wide.covers(scope)));
        self.wider.iter().chain(besides).cloned().collect()
    }

    /// Why the call can't be undone, where its plan says so.
    pub fn irreversible(&self) -> Option<&Irreversible> {
        self.shown.changes.as_ref()?.irreversible.as_ref()
    }

    /// Whether the tool changed since the person trusted its server.
    pub fn is_redefined(&self) -> bool {
        self.shown.redefined.is_some()
    }

    /// Whether this much can be allowed.
    pub fn has(&self, breadth: Breadth) -> bool {
        match breadth {
            Breadth::Call => true,
            // A yes to what is lost for good is a yes to this call alone.
            _ if self.irreversible().is_some() => false,
            Breadth::Folder => !self.wider.is_empty(),
            Breadth::Tool => self.broader.tool,
            Breadth::Server => self.broader.server,
            Breadth::Reads => self.broader.reading,
        }
    }

    /// Whether one answer serves both (SCP-10): the same call, planned the same way, with the same
    /// choices; or the same trust.
    pub fn is_same(&self, other: &Self) -> bool {
        let is_of_same = self.holder == other.holder
            && self.server == other.server
            && self.project == other.project
            && self.kind == other.kind;
        let (tool, other_tool) = (&self.tool, &other.tool);
        is_of_same
            && match self.kind {
                // One answer about a server serves every call of it, but not of a tool that was
                // redefined since: that one is shown with what changed.
                QuestionKind::Trust => match (self.is_redefined(), other.is_redefined()) {
                    (false, false) => tool != other_tool || self.tool_digest == other.tool_digest,
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
