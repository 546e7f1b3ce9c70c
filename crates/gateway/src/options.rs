//! What the gateway is told about its upstream, and what clients and upstream may cost it.
use std::sync::Arc;
use std::time::Duration;

use overt_layers::audit::{Ledger, NoLedger};
use overt_policy::{Declaration, scope};
use overt_transport::client::Protocol;
use overt_transport::limits::Limits;
use overt_wire::json::JsonBuf;

use crate::pins::PinGuard;

/// How to stand in front of one upstream.
#[derive(Debug, Clone)]
pub struct Options {
    /// How the upstream is called in errors and logs: what the user typed, not what the server says of itself.
    pub label: String,
    /// How the upstream is called in scopes such as `execute:<name>:<tool>`.
    pub name: String,
    /// Which upstream this is, told from others of the same name: what people grant is for it alone.
    pub identity: String,
    /// The project that the upstream was started in, where there is one.
    pub project: Option<String>,
    /// Limits towards the upstream.
    pub limits: Limits,
    /// Which version to speak with the upstream.
    pub protocol: Protocol,
    /// Whether there is only one client, as over standard input and output: then everything that the upstream says is
    /// for that one.
    pub one_client: bool,
    /// Whether all clients share one session with the upstream, for a server of which only one process can run.
    pub shared: bool,
    /// Whether an idle upstream is probed, so that its readiness is known.
    pub probed: bool,
    /// Which questions of the upstream reach a client.
    pub questions: Questions,
    /// What is held for clients.
    pub gateway_limits: GatewayLimits,
    /// Which definitions of its tools a person has accepted; in strict mode no other definition is called.
    pub pins: Option<PinGuard>,
    /// What a manifest declares, which was checked against the upstream.
    pub declaration: Option<Arc<Declaration>>,
    /// The `serverInfo` object of the upstream, where it was asked before clients came.
    pub info: Option<JsonBuf>,
    /// Where lost connections and restarts of the upstream are recorded.
    pub ledger: Arc<dyn Ledger>,
}

/// Which questions of an upstream reach a client (UP-09).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Questions {
    /// Also those that belong to no call of the client.
    pub unasked: bool,
    /// Also forms that ask for what looks like a password or a key.
    pub secrets: bool,
}

/// What the gateway holds for clients, and for how long.
#[derive(Debug, Clone)]
pub struct GatewayLimits {
    /// Sessions with the upstream at the same time; for a command each is a process.
    pub max_sessions: usize,
    /// A session of a client that keeps none itself is ended when it was idle for this long.
    pub session_idle: Duration,
    /// Calls that wait for a client of the newer era to come back with answers.
    pub max_suspended: usize,
    /// How long it may take to come back.
    pub suspended_for: Duration,
    /// Questions of one upstream conversation within a minute.
    pub max_questions_per_minute: usize,
    /// Calls that get no answer in time, one after the other, before a conversation is given up.
    pub max_silent_calls: usize,
    /// The longest pause between two attempts to reach the upstream.
    pub longest_backoff: Duration,
}

impl Options {
    pub fn new(label: impl Into<String>) -> Self {
        let label = label.into();
        let name = scope::kind_of(&label);
        Self {
            identity: name.clone(),
            name,
            label,
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
            // Not longer than a question may be open.
            suspended_for: Duration::from_secs(300),
            max_questions_per_minute: 60,
            max_silent_calls: 3,
            longest_backoff: Duration::from_secs(30),
        }
    }
}
