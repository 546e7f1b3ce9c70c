//! The two protocol eras: the known versions, the version that a client speaks, and what it changes
//! on the wire. Outside this module and the gateway's bridge, no code compares version strings.
use std::fmt;

use crate::error::{ErrorObject, code};
use crate::json::{Json, JsonBuf, Member, Object};
use crate::message::Message;
use crate::method::Method;

/// `_meta` keys and other names that the specification reserves.
pub mod key {
    pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
    pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
    pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
    pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
    pub const PROGRESS_TOKEN: &str = "progressToken";
    /// The trace that a request belongs to, in W3C Trace Context format. The key is reserved
    /// without a prefix (SEP-414).
    pub const TRACE_PARENT: &str = "traceparent";
    pub const TRACE_STATE: &str = "tracestate";
    /// The extension for tasks, whose results are fetched later (SEP-2663).
    pub const TASKS: &str = "io.modelcontextprotocol/tasks";
    /// The extension for skills, in both eras (SEP-2640).
    pub const SKILLS: &str = "io.modelcontextprotocol/skills";
    /// The extension for pages that clients display.
    pub const UI: &str = "io.modelcontextprotocol/ui";
}

/// A dated protocol version, ordered from oldest to newest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    V2024_11_05,
    V2025_03_26,
    V2025_06_18,
    V2025_11_25,
    V2026_07_28,
}

/// A group of versions with the same basic protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// `initialize`, sessions, requests from the server to the client (up to 2025-11-25).
    Legacy,
    /// Every request is independent and identifies its client (from 2026-07-28).
    Modern,
}

/// Severity of a log message, ordered from least to most severe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

/// What a client said about itself, at `initialize` or in the request.
#[derive(Debug, Clone)]
pub struct Caller {
    pub version: Version,
    pub capabilities: JsonBuf,
    pub info: Option<JsonBuf>,
}

// === impl Version ===

impl Version {
    /// All versions, newest first, as they are advertised.
    pub const ALL: [Self; 5] =
        [Self::V2026_07_28, Self::V2025_11_25, Self::V2025_06_18, Self::V2025_03_26, Self::V2024_11_05];
    pub const NEWEST: Self = Self::V2026_07_28;
    pub const NEWEST_LEGACY: Self = Self::V2025_11_25;
    /// The version of an HTTP client that does not name one (2025-03-26 had no header for it).
    pub const ASSUMED_OVER_HTTP: Self = Self::V2025_03_26;

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.as_str() == text)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    pub fn era(self) -> Era {
        if self >= Self::V2026_07_28 { Era::Modern } else { Era::Legacy }
    }

    /// The version to answer `initialize` with: the client's if it is a known legacy version,
    /// otherwise our newest legacy version.
    pub fn negotiate(asked: Option<&str>) -> Self {
        asked
            .and_then(Self::parse)
            .filter(|version| version.era() == Era::Legacy)
            .unwrap_or(Self::NEWEST_LEGACY)
    }

    /// The error code for a resource that does not exist.
    pub fn resource_not_found(self) -> i64 {
        match self.era() {
            Era::Legacy => code::LEGACY_RESOURCE_NOT_FOUND,
            Era::Modern => code::INVALID_PARAMS,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

// === impl LogLevel ===

impl LogLevel {
    pub const ALL: [Self; 8] = [
        Self::Debug,
        Self::Info,
        Self::Notice,
        Self::Warning,
        Self::Error,
        Self::Critical,
        Self::Alert,
        Self::Emergency,
    ];

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == text)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
            Self::Alert => "alert",
            Self::Emergency => "emergency",
        }
    }

    /// Reads the level from a member. An unknown level is the client's error.
    pub fn read(member: Member<'_>) -> Result<Self, ErrorObject> {
        member.string().and_then(|text| Self::parse(&text)).ok_or_else(|| {
            let known = Self::ALL.map(Self::as_str).join(", ");
            ErrorObject::invalid_params(format!("unknown log level; the levels are {known}"))
        })
    }
}

// === impl Caller ===

impl Caller {
    /// The era of a message. A modern message declares it in `_meta`.
    pub fn era_of(message: &Message) -> Era {
        let meta = message.meta();
        let modern =
            !meta.get(key::PROTOCOL_VERSION).is_absent() || (!meta.get(key::CLIENT_CAPABILITIES).is_absent());
        if modern { Era::Modern } else { Era::Legacy }
    }

    /// Reads the caller from a modern request, or returns what is wrong with the request.
    pub fn of_modern(message: &Message) -> Result<Self, ErrorObject> {
        let meta = message.meta();
        let Some(asked) = meta.get(key::PROTOCOL_VERSION).string() else {
            return Err(missing_meta(key::PROTOCOL_VERSION, "the version as a string"));
        };
        let Some(version) = Version::parse(&asked) else { return Err(unsupported_version(&asked)) };
        if version.era() != Era::Modern {
            return Err(ErrorObject::invalid_params(format!(
                "version {version} is opened with `initialize`, not named in `_meta`"
            )));
        }
        let Some(capabilities) = meta.get(key::CLIENT_CAPABILITIES).value().filter(|value| value.is_object())
        else {
            return Err(missing_meta(key::CLIENT_CAPABILITIES, "an object, `{}` if there are none"));
        };
        if !meta.get(key::LOG_LEVEL).is_absent() {
            LogLevel::read(meta.get(key::LOG_LEVEL))?;
        }
        let info = meta.get(key::CLIENT_INFO).value().map(Json::to_buf);
        Ok(Self { version, capabilities: capabilities.to_buf(), info })
    }

    /// Reads the caller from `initialize`, with the negotiated version.
    pub fn of_initialize(message: &Message) -> Result<Self, ErrorObject> {
        let params = message.params();
        let Some(asked) = params.get("protocolVersion").string() else {
            return Err(ErrorObject::invalid_params("`protocolVersion` must be a string"));
        };
        let capabilities = match params.get("capabilities") {
            Member::Value(value) if value.is_object() => value.to_buf(),
            Member::Absent | Member::Null => JsonBuf::empty_object(),
            Member::Value(_) => return Err(ErrorObject::invalid_params("`capabilities` must be an object")),
        };
        let info = params.get("clientInfo").value().map(Json::to_buf);
        Ok(Self { version: Version::negotiate(Some(&asked)), capabilities, info })
    }

    /// A legacy client about which nothing is known yet.
    pub fn unknown() -> Self {
        Self { version: Version::NEWEST_LEGACY, capabilities: JsonBuf::empty_object(), info: None }
    }

    pub fn era(&self) -> Era {
        self.version.era()
    }

    /// Whether the client declared a capability, such as `elicitation` or `sampling`. Forms exist
    /// since 2025-06-18. Since 2025-11-25 a client may declare that it supports URLs only;
    /// `elicitation` means forms here.
    pub fn can(&self, capability: &str) -> bool {
        let Member::Value(declared) = self.capabilities.as_json().get(capability) else { return false };
        if capability != "elicitation" {
            return true;
        }
        let forms = declared.get("url").is_absent() || !declared.get("form").is_absent();
        self.version >= Version::V2025_06_18 && forms
    }

    /// Whether a modern client declared an extension, such as [`key::TASKS`]. Always false for a
    /// legacy client.
    pub fn has_extension(&self, name: &str) -> bool {
        let declared = self.capabilities.as_json().get("extensions").get(name);
        self.era() == Era::Modern && matches!(declared, Member::Value(settings) if settings.is_object())
    }

    /// Adds the `_meta` members with which a modern request identifies its client.
    pub fn to_meta(&self, meta: Object) -> Object {
        let meta = meta
            .string(key::PROTOCOL_VERSION, self.version.as_str())
            .json(key::CLIENT_CAPABILITIES, self.capabilities.as_json());
        match &self.info {
            Some(info) => meta.json(key::CLIENT_INFO, info.as_json()),
            None => meta,
        }
    }
}

/// Whether an era has a method. Some methods exist in one era only.
pub fn has_method(era: Era, method: Method<'_>) -> bool {
    match method {
        Method::Initialize
        | Method::Ping
        | Method::SetLevel
        | Method::ResourcesSubscribe
        | Method::ResourcesUnsubscribe
        | Method::Initialized
        | Method::InitializedShort
        | Method::RootsChanged => era == Era::Legacy,
        Method::Discover
        | Method::Listen
        | Method::SubscriptionAcknowledged
        | Method::TasksUpdate
        | Method::TaskChanged => era == Era::Modern,
        _ => true,
    }
}

/// The error for a version that is not supported. It lists the supported versions.
pub fn unsupported_version(asked: &str) -> ErrorObject {
    let supported = Version::ALL.map(Version::as_str);
    ErrorObject::new(code::UNSUPPORTED_VERSION, "unsupported protocol version")
        .with_data(Object::new().value("supported", &supported).string("requested", asked).finish())
}

/// The error for a client without a capability that the call needs.
pub fn missing_capability(capability: &str) -> ErrorObject {
    let required = Object::new().json(capability, JsonBuf::empty_object().as_json()).finish();
    missing(&format!("capability `{capability}`"), &required)
}

/// The error for a client without an extension that the call needs.
pub fn missing_extension(name: &str) -> ErrorObject {
    let extension = Object::new().json(name, JsonBuf::empty_object().as_json()).finish();
    let required = Object::new().json("extensions", extension.as_json()).finish();
    missing(&format!("extension `{name}`"), &required)
}

fn missing(what: &str, required: &JsonBuf) -> ErrorObject {
    ErrorObject::new(
        code::MISSING_CLIENT_CAPABILITY,
        format!("this call needs the client {what}, which the request does not declare"),
    )
    .with_data(Object::new().json("requiredCapabilities", required.as_json()).finish())
}

fn missing_meta(name: &str, what: &str) -> ErrorObject {
    ErrorObject::invalid_params(format!("`params._meta` needs `{name}`: {what}"))
}

/// How long a result may be cached, in milliseconds. The cache is always private to one caller: a
/// list may be filtered for that caller, and a shared cache would show it to others (HTTP-15).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cache {
    pub ttl_ms: u64,
}

/// Completes a result as the version requires. In the modern era this adds that the result is
/// complete, how long it may be cached, and which server answers.
pub fn complete_result(
    version: Version,
    body: Object,
    meta: Option<&JsonBuf>,
    cache: Option<Cache>,
    server: &JsonBuf,
) -> JsonBuf {
    if version.era() == Era::Legacy {
        return match meta {
            Some(meta) => body.json("_meta", meta.as_json()).finish(),
            None => body.finish(),
        };
    }
    let body = body.string("resultType", "complete");
    let body = match cache {
        Some(cache) => body.raw("ttlMs", &cache.ttl_ms.to_string()).string("cacheScope", "private"),
        None => body,
    };
    let own = match meta.map(JsonBuf::as_json) {
        Some(meta) if !meta.get(key::SERVER_INFO).is_absent() => Object::new().members_of(meta),
        Some(meta) => Object::new().json(key::SERVER_INFO, server.as_json()).members_of(meta),
        None => Object::new().json(key::SERVER_INFO, server.as_json()),
    };
    body.json("_meta", own.finish().as_json()).finish()
}
