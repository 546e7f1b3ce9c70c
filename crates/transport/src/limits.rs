//! All limits and deadlines of the transports, with their defaults.
//!
//! `docs/limits.md` shows the same table; a test compares the two.
use std::time::Duration;

use overt_wire::{Method, json};

use crate::time_budget::TimeBudget;

/// Limits on what a peer can use. The defaults suit a server for one person or a small team.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes of one message, in either direction.
    pub max_message_bytes: usize,
    /// Number of JSON values in one message.
    pub max_message_values: usize,
    /// Requests of one connection or session that are answered at the same time. The same number
    /// applies to notifications.
    pub max_in_flight: usize,
    /// Bytes of these requests and notifications together.
    pub max_in_flight_bytes: usize,
    /// Unanswered questions to one client.
    pub max_pending_questions: usize,
    /// Messages that wait to be written to one peer.
    pub max_queued_messages: usize,
    /// Bytes that wait to be written to one peer. A longer message waits alone. At the limit,
    /// nothing is read from that peer.
    pub max_queued_bytes: usize,
    /// How long a request may take, not counting the time in which a person decides. Progress
    /// renews it.
    pub request_deadline: Duration,
    /// How long a request that reports progress may take, not counting the time in which a person
    /// decides.
    pub longest_request: Duration,
    /// How long all decisions of people about one request may take together. Beyond that, the time
    /// of a decision counts towards the deadline of the request.
    pub longest_pause: Duration,
    /// How long a client may take to answer a question that no person decides: sampling, roots.
    pub question_deadline: Duration,
    /// How long a person may take to answer an elicitation.
    pub elicitation_deadline: Duration,
    /// How long a peer may fail to read before its connection is closed.
    pub write_deadline: Duration,
    /// How long a connection may take to send its request line and headers.
    pub header_deadline: Duration,
    /// How long a request body may take to arrive.
    pub body_deadline: Duration,
    /// Bytes of one request's headers.
    pub max_header_bytes: usize,
    /// Open HTTP connections.
    pub max_connections: usize,
    /// Open sessions of legacy clients over HTTP.
    pub max_sessions: usize,
    /// A session without traffic for this long is closed.
    pub session_idle: Duration,
    /// Events that one session keeps for clients that reconnect.
    pub max_replay_events: usize,
    /// Bytes of those events.
    pub max_replay_bytes: usize,
    /// Bytes of the kept events of all sessions together.
    pub max_total_replay_bytes: usize,
    /// Bytes of the HTTP requests and answers of all clients that are being read, answered or
    /// written.
    pub max_total_http_bytes: usize,
    /// Interval of the comments on a silent event stream.
    pub keep_alive: Duration,
    /// Bytes of one document that is read outside the MCP endpoint.
    pub max_document_bytes: usize,
    /// Requests for documents that are answered at the same time.
    pub max_document_requests: usize,
    /// How long requests may take after the server was told to stop. Then each is answered with an
    /// error.
    pub drain: Duration,
    /// How long connecting to a server may take.
    pub connect_deadline: Duration,
    /// How long a server may take to answer the first message.
    pub handshake_deadline: Duration,
    /// How long a server may ignore `server/discover` before it is treated as a legacy server.
    pub probe_deadline: Duration,
    /// How long a child process may take to end after its input is closed, and again after SIGTERM.
    pub child_grace: Duration,
    /// Bytes of a child's standard error that are kept.
    pub max_stderr_bytes: usize,
    /// Rounds of questions that one request to a server may cause.
    pub max_input_rounds: usize,
    /// Pages of one list that are read.
    pub max_pages: usize,
}

/// How long the peer may take to answer a question, depending on the method.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QuestionDeadlines {
    elicitation: Duration,
    other: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_message_bytes: 16 << 20,
            max_message_values: 1_000_000,
            max_in_flight: 256,
            max_in_flight_bytes: 32 << 20,
            max_pending_questions: 32,
            max_queued_messages: 256,
            max_queued_bytes: 1 << 20,
            request_deadline: Duration::from_secs(300),
            longest_request: Duration::from_secs(1800),
            longest_pause: Duration::from_secs(86_400),
            question_deadline: Duration::from_secs(300),
            elicitation_deadline: Duration::from_secs(3600),
            write_deadline: Duration::from_secs(30),
            header_deadline: Duration::from_secs(10),
            body_deadline: Duration::from_secs(30),
            max_header_bytes: 64 << 10,
            max_connections: 1024,
            max_sessions: 1024,
            session_idle: Duration::from_secs(1800),
            max_replay_events: 256,
            max_replay_bytes: 32 << 20,
            max_total_replay_bytes: 256 << 20,
            max_total_http_bytes: 256 << 20,
            keep_alive: Duration::from_secs(15),
            max_document_bytes: 4 << 20,
            max_document_requests: 64,
            drain: Duration::from_secs(10),
            connect_deadline: Duration::from_secs(10),
            handshake_deadline: Duration::from_secs(30),
            probe_deadline: Duration::from_secs(5),
            child_grace: Duration::from_secs(2),
            max_stderr_bytes: 64 << 10,
            max_input_rounds: 16,
            max_pages: 1000,
        }
    }
}

impl Limits {
    /// The time budget of a handler for one request.
    pub fn request_budget(&self) -> TimeBudget {
        TimeBudget {
            work: self.request_deadline,
            longest_work: self.longest_request,
            longest_pause: self.longest_pause,
        }
    }

    pub(crate) fn question_deadlines(&self) -> QuestionDeadlines {
        QuestionDeadlines { elicitation: self.elicitation_deadline, other: self.question_deadline }
    }

    /// The limits for the JSON scanner.
    pub fn json(&self) -> json::Limits {
        json::Limits {
            max_bytes: self.max_message_bytes,
            max_nodes: self.max_message_values,
            ..json::Limits::default()
        }
    }
}

impl QuestionDeadlines {
    pub(crate) fn of(self, method: &str) -> Duration {
        match Method::of(method) {
            Method::Elicit => self.elicitation,
            _ => self.other,
        }
    }
}
