//! The layer itself: the state that its parts share, and how they pass a request to the endpoint.
use std::fmt;
use std::sync::Arc;

use overt_wire::json::JsonBuf;
use overt_wire::{BoxFuture, ErrorObject, Exchange, Handler, Kind, Message};

use super::continuations::ApprovalContinuations;
use super::control::Control;
use super::limiter::Limiter;
use super::records::CallRecord;
use super::request_options::RequestOptions;
use super::tasks::OpenTasks;
use super::uris::ListedUris;
use crate::Endpoint;
use crate::configure::{ConfigurationRights, Configured, UpstreamSettings};
use crate::permit::{Admitted, Unprivileged};
use crate::seal::UniqueNames;
use crate::tool_catalogue::ToolCatalogue;
use crate::veto;

/// Makes a handler from an endpoint.
pub struct Authorize {
    pub(super) control: Control,
    pub(super) endpoint: Arc<dyn Endpoint>,
    pub(super) tools: Arc<ToolCatalogue>,
    pub(super) listed_uris: ListedUris,
    pub(super) limiter: Limiter,
    /// Counts against the limits that clients set for themselves.
    pub(super) own_limits: Limiter,
    pub(super) continuations: ApprovalContinuations,
    pub(super) open_tasks: Arc<OpenTasks>,
    /// Makes the names that link the records of a call.
    calls: UniqueNames,
    /// The endpoint's own settings.
    pub(super) configured: Option<Configured>,
    pub(super) upstream_settings: UpstreamSettings,
}

/// Records reads that an outer layer answers itself, such as reads of documents. Each read counts
/// against the rates and is recorded.
pub trait ReadRecords: Handler {
    /// Counts one read. If there are too many, the error is the answer.
    fn count_read(&self, exchange: &Exchange, target: &str) -> Result<(), ErrorObject>;

    /// Returns which policy and tools are in force.
    fn revision(&self) -> Revision;
}

/// Which policy and tools are in force. What was found under another revision may be outdated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Revision {
    /// The number of policies that were in force before.
    pub(super) policy: u64,
    /// The endpoint's generation of tools.
    pub(super) tools: u64,
}

impl fmt::Debug for Authorize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authorize").finish_non_exhaustive()
    }
}

impl Authorize {
    pub fn new(control: impl Into<Control>, endpoint: impl Endpoint) -> Self {
        Self::with_endpoint(control.into(), Arc::new(endpoint))
    }

    fn with_endpoint(control: Control, endpoint: Arc<dyn Endpoint>) -> Self {
        let settings = endpoint.description().settings.clone();
        let configured = settings.map(|values| Configured::new(values, ConfigurationRights::ByTransport));
        let open_tasks = Arc::<OpenTasks>::default();
        let tasks = Arc::downgrade(&open_tasks);
        endpoint.description().task_events.observe(Box::new(move |session, message| {
            tasks.upgrade().is_none_or(|tasks| tasks.saw_status(session, message))
        }));
        let tools = endpoint.description().tools.catalogue().unwrap_or_default();
        Self {
            control,
            endpoint,
            tools,
            listed_uris: ListedUris::default(),
            limiter: Limiter::new(),
            own_limits: Limiter::new(),
            continuations: ApprovalContinuations::new(),
            open_tasks,
            calls: UniqueNames::default(),
            configured,
            upstream_settings: UpstreamSettings::default(),
        }
    }

    /// Opens the audit record of a request.
    pub(super) fn open_record(&self, exchange: &Exchange, target: &str) -> CallRecord {
        CallRecord::new(&self.control.ledger, &self.calls, exchange, self.endpoint.description(), target)
    }

    /// Returns the `serverInfo` object, for answers that Overt gives in place of the server.
    pub(super) fn info(&self) -> JsonBuf {
        self.endpoint.description().info.clone()
    }

    /// Forwards a request that needs no permission, unless a veto refuses it.
    pub(super) fn pass_unprivileged(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        if let Err(refusal) = veto::check(&self.control.vetoes, &exchange.message) {
            return refused(&exchange, &ErrorObject::invalid_params(refusal.reason));
        }
        match Unprivileged::new(exchange) {
            Ok(request) => self.endpoint.call(Admitted::Unprivileged(request)),
            Err(exchange) => refused(&exchange, &ErrorObject::internal()),
        }
    }

    /// Forwards a request that may have options for Overt. An error in the options refuses the
    /// request, and the options are removed before it is forwarded.
    pub(super) fn pass_on(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        if !RequestOptions::has_any(&exchange.message) {
            return self.pass_unprivileged(exchange);
        }
        match self.effective(&exchange) {
            Ok(effective) => {
                let trusts = effective.snapshot.approval.trust_grants;
                let message = RequestOptions::without(&exchange.message, trusts);
                self.pass_unprivileged(Exchange { message, ..exchange })
            }
            Err(error) => refused(&exchange, &error),
        }
    }
}

/// Answers a request with an error. A notification gets no answer.
pub(super) fn refused<'a>(exchange: &Exchange, error: &ErrorObject) -> BoxFuture<'a, Option<Message>> {
    let is_request = exchange.message.kind() == Kind::Request;
    let answer = is_request.then(|| Message::error(exchange.message.id(), error));
    Box::pin(std::future::ready(answer))
}
