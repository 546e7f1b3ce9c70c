//! Names of our members on the wire: in `_meta` of requests, answers and definitions.

/// Keys of ours in `_meta`, and the name of our extension.
pub mod key {
    /// All of ours begin with it.
    pub const PREFIX: &str = "dev.overt/";
    pub const DISCLOSURE: &str = "dev.overt/disclosure";
    pub const TOOL: &str = "dev.overt/tool";
    pub const RESOURCE: &str = "dev.overt/resource";
    pub const INTENT: &str = "dev.overt/intent";
    pub const PREVIEW: &str = "dev.overt/preview";
    pub const SCOPES: &str = "dev.overt/scopes";
    /// The extension under which settings are published.
    pub const CONFIG: &str = "dev.overt/config";
    /// Where people can look at what a call changes, in its result.
    pub const REVIEW: &str = "dev.overt/review";
    /// What a call changes, for programs that show it to people.
    pub const DIFF: &str = "dev.overt/diff";
    /// Which call a preview is about: the tool and its arguments, for apps whose host does not tell
    /// them.
    pub const CALL: &str = "dev.overt/call";
    /// What a link in a result leads to: `review` or `diff`.
    pub const ARTIFACT: &str = "dev.overt/artifact";
    /// Marks that an upstream made, where Overt stands in front of it: they are not Overt's own.
    pub const UPSTREAM: &str = "dev.overt/upstream";
    pub const CARD_URI: &str = "x-tool-card-uri";
}

/// Members of `_meta` with which a request says how it wants to be handled, and with which an
/// answer says how it was handled.
pub mod request {
    /// Only show what the call would do.
    pub const PREVIEW: &str = "preview";
    /// What this call may do at most: a fragment, or a list of them.
    pub const POLICY: &str = "policy";
    /// Who wrote the policy: `human` or `llm`.
    pub const POLICY_SOURCE: &str = "dev.overt/policy-source";
    /// Scopes that the client says were granted; `allowed_scopes` is the newer name.
    pub const GRANTED: [&str; 2] = ["granted_scopes", "allowed_scopes"];
    pub const DENIED: &str = "denied_scopes";
    /// Asks other servers to skip the check. Never honoured.
    pub const DYNAMIC: &str = "dynamic_scopes";
    /// The token of a grant.
    pub const GRANT: &str = "dev.overt/grant";
    /// Binds a call to its preview.
    pub const PLAN: &str = "dev.overt/plan";
    /// In an answer: what would have to be granted, and no more than that.
    pub const REQUESTED: &str = "requested_scopes";
    /// In an answer: a wider choice that saves further questions.
    pub const WIDER: &str = "dev.overt/wider-scopes";
    /// In an answer: the question that a person can answer elsewhere.
    pub const QUESTION: &str = "dev.overt/question";
    /// In an answer: why it failed, as a word for programs.
    pub const ERROR: &str = "dev.overt/error";
}
