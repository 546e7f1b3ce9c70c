//! One step of a call that is to be recorded. An entry holds the facts as they came. The ledger
//! adds the number, time, digests and chain, and removes secrets.
use overt_policy::word::string_enum;
use overt_wire::Message;
use overt_wire::json::{Json, JsonBuf};

string_enum! {
    /// The kind of a record.
    pub enum Kind {
        /// A call is about to be made.
        Intent = "intent",
        /// A call ended.
        Outcome = "outcome",
        /// A call was refused.
        Deny = "deny",
        /// A person was asked.
        ApprovalRequest = "approval_request",
        /// A person answered.
        Approval = "approval",
        Grant = "grant",
        Revoke = "revoke",
        /// Rules and settings came into force.
        PolicyLoad = "policy_load",
        /// The connection to the server behind the gateway was lost.
        UpstreamLost = "upstream_lost",
        /// The server behind the gateway was started again, or the connection to it was opened
        /// again.
        UpstreamRestart = "upstream_restart",
        /// A file of the log begins.
        Segment = "segment",
        Checkpoint = "checkpoint",
        /// A number of records is missing here.
        Gap = "gap",
        /// The findings after a crash.
        Recovery = "recovery",
        Start = "start",
        Stop = "stop",
    }

    /// How a call ended.
    pub enum CallOutcome {
        Ok = "ok",
        ToolError = "tool_error",
        /// The tool answered with an error when the call was checked or planned: nothing ran.
        FailedBefore = "failed_before",
        /// The endpoint found that something in force forbids the call, such as a hidden file.
        Refused = "refused",
        ProtocolError = "protocol_error",
        Timeout = "timeout",
        /// Cancelled before the upstream received the call.
        CancelledBefore = "cancelled_before",
        /// Cancelled when the upstream may already have acted.
        CancelledAfterEffect = "cancelled_after_effect",
        UpstreamLost = "upstream_lost",
        /// The process ended before the call did.
        Unknown = "unknown",
    }
}

/// The content of a record. Members that do not apply are empty.
#[derive(Debug, Clone)]
pub struct Entry {
    pub kind: Kind,
    /// Links the records of one call.
    pub call: Option<String>,
    /// The W3C trace parent that the client sent.
    pub trace: Option<String>,
    /// The session's id. The ledger writes only a keyed digest of it.
    pub session: Option<String>,
    pub principal: Option<String>,
    /// The client's name and version, as it reports them.
    pub agent: Option<String>,
    /// The server's name in scopes.
    pub server: Option<String>,
    /// Distinguishes the server from others of the same name. `None` for one of our servers.
    pub server_id: Option<String>,
    /// The project in which the server was started.
    pub project: Option<String>,
    /// The tool, or the address of a resource, or the name of a prompt.
    pub target: Option<String>,
    pub method: Option<String>,
    pub tool_digest: Option<String>,
    /// The worst effect that the call can have, if it is known.
    pub effect: Option<&'static str>,
    /// The source of the effect: the server's claim, or a declaration.
    pub basis: Option<&'static str>,
    /// The sentence that a person saw, or would have seen.
    pub intent: Option<String>,
    /// The ledger writes a keyed digest. It writes the arguments themselves only if told to, and
    /// then redacted.
    pub arguments: Option<CallArguments>,
    pub needed: Vec<String>,
    pub requested: Vec<String>,
    pub grant: Option<String>,
    /// How far a person trusts the server, if the decision depends on it.
    pub trust: Option<&'static str>,
    /// `allow`, `deny` or `needs_approval`.
    pub decision: Option<&'static str>,
    /// Identifies the rules and settings in force.
    pub policy_version: Option<String>,
    pub rules: Vec<String>,
    /// The layer that decided.
    pub layer: Option<String>,
    pub rule_errors: Vec<String>,
    /// An explanation for people: why the call was refused, or what was found.
    pub reason: Option<String>,
    pub preview: bool,
    /// The digest that binds a preview to its call.
    pub plan: Option<String>,
    /// The name under which the change can be undone.
    pub change: Option<String>,
    /// The changes that the call's plan makes, one line each: `src/app.ts +4 -3`.
    pub changes: Vec<String>,
    pub outcome: Option<CallOutcome>,
    /// The answer to the call. The ledger writes the size of its result and a keyed digest.
    pub answer: Option<Message>,
    pub latency: Option<Latency>,
}

/// The arguments of a call. They share memory with the request, because they may be as large as a
/// message.
#[derive(Debug, Clone)]
pub struct CallArguments(Source);

#[derive(Debug, Clone)]
enum Source {
    Request(Message),
    Own(JsonBuf),
}

/// Where the time of a call went, in microseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Latency {
    /// Time from the start to the record of the intent, without the time spent waiting for a
    /// person. The write of the record counts towards `upstream`.
    pub policy: u64,
    /// Time spent waiting for a person.
    pub approval: u64,
    pub upstream: u64,
    pub total: u64,
}

impl Entry {
    /// Makes an entry about a server in a project. `identity` is the server's full name, `name#id`
    /// or `name`.
    pub fn of_server(kind: Kind, identity: &str, project: Option<&str>) -> Self {
        let (name, id) = identity.split_once('#').map_or((identity, None), |(name, id)| (name, Some(id)));
        Self {
            server: Some(name.to_owned()),
            server_id: id.map(str::to_owned),
            project: project.map(str::to_owned),
            ..Self::new(kind)
        }
    }

    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            call: None,
            trace: None,
            session: None,
            principal: None,
            agent: None,
            server: None,
            server_id: None,
            project: None,
            target: None,
            method: None,
            tool_digest: None,
            effect: None,
            basis: None,
            intent: None,
            arguments: None,
            needed: Vec::new(),
            requested: Vec::new(),
            grant: None,
            trust: None,
            decision: None,
            policy_version: None,
            rules: Vec::new(),
            layer: None,
            rule_errors: Vec::new(),
            reason: None,
            preview: false,
            plan: None,
            change: None,
            changes: Vec::new(),
            outcome: None,
            answer: None,
            latency: None,
        }
    }
}

impl CallArguments {
    /// Returns the arguments of a request, if it has any.
    pub fn of(request: &Message) -> Option<Self> {
        request.arguments().value()?;
        Some(Self(Source::Request(request.clone())))
    }

    pub fn as_json(&self) -> Option<Json<'_>> {
        match &self.0 {
            Source::Request(request) => request.arguments().value(),
            Source::Own(arguments) => Some(arguments.as_json()),
        }
    }
}

impl From<JsonBuf> for CallArguments {
    fn from(arguments: JsonBuf) -> Self {
        Self(Source::Own(arguments))
    }
}
