//! Names of Overt's members on the wire, in `_meta` of requests, results and definitions.

/// Overt's keys in `_meta`, and the name of its extension.
pub mod key {
    /// The prefix of all of Overt's keys.
    pub const PREFIX: &str = "dev.overt/";
    pub const DISCLOSURE: &str = "dev.overt/disclosure";
    pub const TOOL: &str = "dev.overt/tool";
    pub const RESOURCE: &str = "dev.overt/resource";
    /// A resource that is an application: a page that stands for itself.
    pub const APPLICATION: &str = "dev.overt/application";
    pub const INTENT: &str = "dev.overt/intent";
    pub const PREVIEW: &str = "dev.overt/preview";
    pub const SCOPES: &str = "dev.overt/scopes";
    /// The extension under which settings are published.
    pub const CONFIG: &str = "dev.overt/config";
    /// In a result: where people can review what a call changes.
    pub const REVIEW: &str = "dev.overt/review";
    /// In a result: the changes of a call, for programs that show them to people.
    pub const DIFF: &str = "dev.overt/diff";
    /// The tool and arguments that a preview belongs to, for apps whose host does not pass them on.
    pub const CALL: &str = "dev.overt/call";
    /// The target of a link in a result: `review` or `diff`.
    pub const ARTIFACT: &str = "dev.overt/artifact";
    /// Marks that an upstream set, moved here by the gateway because they are not Overt's own.
    pub const UPSTREAM: &str = "dev.overt/upstream";
    pub const CARD_URI: &str = "x-tool-card-uri";
}

/// Members of `_meta` in which a request says how it should be handled, and an answer says how it
/// was handled.
pub mod request {
    /// Asks to show what the call would do, without doing it.
    pub const PREVIEW: &str = "preview";
    /// The most that this call may do: a policy, or a list of policies.
    pub const POLICY: &str = "policy";
    /// Who wrote the policy: `human` or `llm`.
    pub const POLICY_SOURCE: &str = "dev.overt/policy-source";
    /// Scopes that the client says were granted; `allowed_scopes` is the newer name.
    pub const GRANTED: [&str; 2] = ["granted_scopes", "allowed_scopes"];
    pub const DENIED: &str = "denied_scopes";
    /// Asks a server to skip the check of scopes. Overt never honours it.
    pub const DYNAMIC: &str = "dynamic_scopes";
    /// The token of a grant.
    pub const GRANT: &str = "dev.overt/grant";
    /// Ties a call to its preview.
    pub const PLAN: &str = "dev.overt/plan";
    /// In an answer: the scopes that would have to be granted, and no others.
    pub const REQUESTED: &str = "requested_scopes";
    /// In an answer: wider scopes that would save further questions.
    pub const WIDER: &str = "dev.overt/wider-scopes";
    /// In an answer: the question, which a person can also answer outside of the client.
    pub const QUESTION: &str = "dev.overt/question";
    /// In an answer: the reason of a failure, as a word for programs.
    pub const ERROR: &str = "dev.overt/error";
}
