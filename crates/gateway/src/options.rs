//! Options of the gateway: facts about its upstream, and limits on what clients and the upstream
//! may use.
use std::sync::Arc;
use std::time::Duration;

use overt_layers::audit::{Ledger, NoLedger};
use overt_policy::{Declaration, scope};
use overt_transport::client::Protocol;
use overt_transport::limits::Limits;
use overt_wire::json::JsonBuf;

use crate::pins::PinGuard;

/// Options for one upstream.
#[derive(Debug, Clone)]
pub struct Options {
    /// The upstream's name in errors, in logs, and in scopes such as `execute:<name>:<tool>`. It is
    /// not what the user typed, which may be a command line (G-59).
    pub name: String,
    /// Identifies the upstream among others with the same name. Grants are valid for this identity
    /// only.
    pub identity: String,
    /// The project that the upstream was started in, if any.
    pub project: Option<String>,
    /// Transport limits for the connection to the upstream.
    pub limits: Limits,
    /// The protocol version to use with the upstream.
    pub protocol: Protocol,
    /// Whether there is only one client, as over stdin and stdout. Then all messages of the
    /// upstream are for that client.
    pub one_client: bool,
    /// Whether all clients share one session with the upstream, for a server that can run in only
    /// one process.
    pub shared: bool,
    /// Whether an idle upstream is probed, so that its readiness is known.
    pub probed: bool,
    /// Which questions of the upstream reach a client.
    pub questions: Questions,
    /// Limits on what is kept for clients.
    pub gateway_limits: GatewayLimits,
    /// The tool definitions that a person has accepted. In strict mode, tools with other
    /// definitions are not called.
    pub pins: Option<PinGuard>,
    /// The declaration in a manifest, already checked against the upstream.
    pub declaration: Option<Arc<Declaration>>,
    /// The `serverInfo` object of the upstream, if it was asked before clients came.
    pub info: Option<JsonBuf>,
    /// Records lost connections and restarts of the upstream.
    pub ledger: Arc<dyn Ledger>,
}

/// Which questions of an upstream reach a client (UP-09).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Questions {
    /// Also allow questions that belong to no call of the client.
    pub unasked: bool,
    /// Also allow forms that ask for something like a password or a key.
    pub secrets: bool,
}

/// Limits on what the gateway keeps for clients, and for how long.
#[derive(Debug, Clone)]
pub struct GatewayLimits {
    /// The most simultaneous sessions with the upstream. For a command, each is a process.
    pub max_sessions: usize,
    /// How long a session may be idle before it is ended, if its client keeps no session itself.
    pub session_idle: Duration,
    /// The most calls that wait for a modern client to come back with answers.
    pub max_suspended: usize,
    /// How long the client may take to come back.
    pub suspended_for: Duration,
    /// The most questions of one upstream conversation within a minute.
    pub max_questions_per_minute: usize,
    /// How many successive calls may get no answer in time before a conversation is closed.
    pub max_silent_calls: usize,
    /// The longest pause between two attempts to reach the upstream.
    pub longest_backoff: Duration,
}

impl Options {
    /// Makes the default name and identity from the upstream as the user typed it.
    pub fn new(typed: impl AsRef<str>) -> Self {
        let name = scope::kind_of(typed.as_ref());
        Self {
            identity: name.clone(),
            name,
            limits: Limits::default(),
            protocol: Protocol::default(),
            one_client: false,
            shared: false,
            probed: false,
            questions: Questions::default(),
            gateway_limits: GatewayLimits::default(),
            pins: None,
            declaration: None,
            project: None,
            info: None,
            ledger: Arc::new(NoLedger),
        }
    }
}

impl Default for GatewayLimits {
    fn default() -> Self {
        Self {
            max_sessions: 256,
            session_idle: Duration::from_secs(600),
            max_suspended: 256,
            // At most as long as a question may be open.
            suspended_for: Duration::from_secs(300),
            max_questions_per_minute: 60,
            max_silent_calls: 3,
            longest_backoff: Duration::from_secs(30),
        }
    }
}
