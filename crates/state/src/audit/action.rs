//! One call of a client, assembled from its records.
use std::collections::BTreeMap;

use overt_wire::json::Json;

use super::line::Record;

/// One call, or an attempt at one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// The name of the log that holds the records.
    pub log: String,
    /// The time of the call's end, or of its last record.
    pub ts: String,
    /// The id that its records share.
    pub call: String,
    /// The client's name and version, as the client reports them.
    pub client: String,
    pub project: Option<String>,
    pub server: String,
    pub server_id: Option<String>,
    /// The tool, the prompt, or the URI of the resource.
    pub target: String,
    pub method: String,
    /// The sentence that a person was shown, or would have been shown.
    pub sentence: String,
    /// One line for each change that the call's plan makes, also if the call failed.
    pub changes: Vec<String>,
    /// The id of the change, for undoing it.
    pub change: Option<String>,
    /// The worst effect that the call can have, and on what basis that is known. `None` if unknown.
    pub effect: Option<String>,
    pub basis: Option<String>,
    /// Whether the call is known or believed to only read.
    pub only_reads: bool,
    pub is_preview: bool,
    /// The keyed digest of the client's session.
    pub session: Option<String>,
    pub needed: Vec<String>,
    pub grant: Option<String>,
    pub trust: Option<String>,
    pub end: End,
    /// Duration, in microseconds.
    pub micros: Option<u64>,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    Done,
    /// The call ran and failed. Holds the outcome word of the record.
    Failed(String),
    /// The tool returned an error before anything ran. Holds the reason.
    FailedBefore(String),
    /// The call was not allowed. Holds the reason.
    Refused(String),
    /// The call was allowed, and no record says how it ended.
    Open,
}

/// Words of the records and of `overt log --format json`.
const FAILED_BEFORE: &str = "failed_before";
const REFUSED: &str = "refused";

impl End {
    /// Returns the word for programs.
    pub fn word(&self) -> &str {
        match self {
            Self::Done => "ok",
            Self::Failed(word) => word,
            Self::FailedBefore(_) => FAILED_BEFORE,
            Self::Refused(_) => REFUSED,
            Self::Open => "open",
        }
    }

    /// Returns why the call did not run, if that is recorded.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::FailedBefore(reason) | Self::Refused(reason) => Some(reason),
            Self::Done | Self::Failed(_) | Self::Open => None,
        }
    }

    /// Returns whether the call reached its target, as far as that is recorded.
    pub fn was_made(&self) -> bool {
        self.reason().is_none()
    }
}

impl Action {
    /// Returns the action that this record describes, assuming that it is the last record of its
    /// call. Returns `None` for other kinds of records.
    pub fn of(log: &str, record: &Record) -> Option<Self> {
        let texts: BTreeMap<String, String> = record
            .json()
            .members()
            .filter_map(|(key, value)| Some((key.name().into_owned(), value.string()?.into_owned())))
            .collect();
        let text = |name: &str| texts.get(name).cloned().unwrap_or_default();
        let some = |name: &str| texts.get(name).cloned().filter(|text| !text.is_empty());
        let kind = text("kind");
        let end = match (kind.as_str(), text("outcome").as_str()) {
            ("outcome", "ok") => End::Done,
            ("outcome", FAILED_BEFORE) => End::FailedBefore(text("reason")),
            ("outcome", REFUSED) | ("deny", _) => End::Refused(text("reason")),
            ("outcome", word) => End::Failed(word.to_owned()),
            ("intent", _) => End::Open,
            _ => return None,
        };
        let is_tool = text("method") == "tools/call";
        let is_read = match some("effect") {
            Some(effect) => effect == "read",
            // What is not a tool reads: a resource, a prompt or a completion.
            None => kind == "outcome" && !is_tool,
        };
        let is_preview = record.json().get("preview").value().and_then(Json::bool).unwrap_or(false);
        let took = record.json().get("latency_us").value().and_then(|times| times.get("total").value());
        Some(Self {
            log: log.to_owned(),
            ts: text("ts"),
            call: text("call"),
            client: text("agent"),
            project: some("project"),
            server: text("server"),
            server_id: some("server_id"),
            target: text("target"),
            method: text("method"),
            sentence: text("intent"),
            changes: record.list("changes"),
            // A call that was refused or failed made no change.
            change: some("change").filter(|_| end.was_made() && text("outcome") != "tool_error"),
            effect: some("effect"),
            basis: some("basis"),
            only_reads: is_read || is_preview,
            is_preview,
            session: some("session").map(|id| id.trim_start_matches("hmac-sha256:").to_owned()),
            needed: record.list("needed"),
            grant: some("grant"),
            trust: some("trust"),
            end,
            micros: took.and_then(Json::integer).and_then(|took| took.try_into().ok()),
        })
    }
}
