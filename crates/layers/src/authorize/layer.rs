//! The handler: which request goes which way.
use std::collections::HashSet;
use std::sync::Arc;

use overt_wire::json::{JsonBuf, Member};
use overt_wire::{BoxFuture, ErrorObject, Exchange, Handler, Kind, Message, Method, Session};

use super::call::holder;
use super::continuations::ApprovalContinuations;
use super::control::Control;
use super::limiter::Limiter;
use super::lists::List;
use super::records::CallRecord;
use super::request_options::RequestOptions;
use super::task_requests::TaskRequest;
use super::tasks::OpenTasks;
use super::tools::ToolIndex;
use super::uris::ListedUris;
use crate::Endpoint;
use crate::configure::{Clients, Configured, UpstreamSettings};
use crate::grants::QuestionId;
use crate::permit::{Admitted, Unprivileged, needs_permission};
use crate::seal::Names;
use crate::veto::{self, Named};

/// Makes a handler of an endpoint.
#[derive(Debug)]
pub struct Authorize<E> {
    pub(super) control: Control,
    pub(super) endpoint: Arc<E>,
    pub(super) tools: ToolIndex,
    pub(super) listed_uris: ListedUris,
    pub(super) limiter: Limiter,
    /// What clients limit themselves by.
    pub(super) own_limits: Limiter,
    pub(super) continuations: ApprovalContinuations,
    pub(super) open_tasks: Arc<OpenTasks>,
    /// Questions whose answer was acted on. Held while one is.
    pub(super) settling: tokio::sync::Mutex<Settled>,
    /// Names by which the records of a call are found.
    calls: Names,
    /// The endpoint's own settings.
    pub(super) configured: Option<Configured>,
    pub(super) upstream_settings: UpstreamSettings,
}

/// The latest questions whose lasting answer was acted on.
#[derive(Debug, Default)]
pub(super) struct Settled(HashSet<QuestionId>);

/// Records reads that a layer outside answers itself, such as those of documents: each is counted against the rates and recorded.
pub trait ReadRecords: Handler {
    /// Counts one read. The error is the answer if there are too many.
    fn count_read(&self, exchange: &Exchange, target: &str) -> Result<(), ErrorObject>;

    /// Names the policy and the tools that are in force: what was told before they changed is no longer true.
    fn revision(&self) -> String;
}

/// More than any process asks at a time.
const MOST_SETTLED: usize = 10_000;

impl<E: Endpoint> Authorize<E> {
    pub fn new(control: impl Into<Control>, endpoint: E) -> Self {
        let settings = endpoint.description().settings.clone();
        let configured = settings.map(|values| Configured::new(values, Clients::ByTransport));
        let open_tasks = Arc::<OpenTasks>::default();
        let tasks = Arc::downgrade(&open_tasks);
        endpoint.description().task_events.observe(Box::new(move |session, message| {
            tasks.upgrade().is_none_or(|tasks| tasks.saw_status(session, message))
        }));
        Self {
            control: control.into(),
            endpoint: Arc::new(endpoint),
            tools: ToolIndex::default(),
            listed_uris: ListedUris::default(),
            limiter: Limiter::new(),
            own_limits: Limiter::new(),
            continuations: ApprovalContinuations::new(),
            open_tasks,
            settling: tokio::sync::Mutex::default(),
            calls: Names::default(),
            configured,
            upstream_settings: UpstreamSettings::default(),
        }
    }

    /// Opens the record of a request.
    pub(super) fn open_record(&self, exchange: &Exchange, target: &str) -> CallRecord {
        CallRecord::new(&self.control.ledger, &self.calls, exchange, self.endpoint.description(), target)
    }

    /// The `serverInfo` object, for answers in the server's place.
    pub(super) fn info(&self) -> JsonBuf {
        self.endpoint.description().info.clone()
    }

    /// Passes on what needs no permission, unless a veto refuses it.
    pub(super) fn pass_unprivileged(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        if let Err(refusal) = veto::check(&self.control.vetoes, &exchange.message) {
            return refused(&exchange, &ErrorObject::invalid_params(refusal.reason));
        }
        match Unprivileged::new(exchange) {
            Ok(request) => self.endpoint.call(Admitted::Unprivileged(request)),
            Err(exchange) => refused(&exchange, &ErrorObject::internal()),
        }
    }

    /// Passes on a request that may say something for Overt alone: a mistake in that refuses it, and none of it goes on.
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

    /// Sends a request the way of its method.
    fn route(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        let method = exchange.message.method().unwrap_or(Method::Other(""));
        if exchange.message.kind() != Kind::Request {
            // A request without an id is not a notification: the client would not hear that it was refused, and it would run.
            return match method.is_notification() && method.known().is_some() {
                true => self.pass_unprivileged(exchange),
                false => Box::pin(self.notify_unknown(exchange)),
            };
        }
        let is_meta =
            !matches!(exchange.message.params().get("_meta"), Member::Value(meta) if !meta.is_object());
        let named = Named::check(method, exchange.message.params());
        if let Err(what) = named.and(if is_meta { Ok(()) } else { Err("`_meta` must be an object") }) {
            // What can't be read can't be judged, and a server may read it otherwise.
            return refused(&exchange, &ErrorObject::invalid_params(what));
        }
        if let Some(list) = List::of(method) {
            return Box::pin(self.list(exchange, list));
        }
        if let Some(request) = TaskRequest::of(method) {
            return Box::pin(self.use_task(exchange, request));
        }
        let exchange = match method {
            Method::Listen => {
                let id = exchange.message.id().cloned();
                match self.listen_to_own_tasks(exchange) {
                    Ok(exchange) => exchange,
                    Err(error) => {
                        return Box::pin(std::future::ready(Some(Message::error(id.as_ref(), &error))));
                    }
                }
            }
            _ => exchange,
        };
        let method = exchange.message.method().unwrap_or(Method::Other(""));
        match method {
            Method::Initialize | Method::Discover => Box::pin(self.greet(exchange)),
            Method::ToolsCall => {
                let tool =
                    exchange.message.params().get("name").string().map(String::from).unwrap_or_default();
                Box::pin(async move { self.call_tool(exchange, &tool).await })
            }
            // It must name the resource as the subscription did.
            Method::ResourcesUnsubscribe => match self.listed_uris.resolve_request(method, &exchange.message)
            {
                Ok((message, _)) => self.pass_on(Exchange { message, ..exchange }),
                Err(error) => refused(&exchange, &error),
            },
            _ if needs_permission(&exchange.message) => Box::pin(self.use_named(exchange)),
            _ => self.pass_on(exchange),
        }
    }
}

impl<E: Endpoint> Handler for Authorize<E> {
    fn call(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        if self.must_ask_for_settings(&exchange) {
            return Box::pin(async move {
                self.ask_for_settings(&exchange).await;
                self.route(exchange).await
            });
        }
        self.route(exchange)
    }

    fn closed(&self, session: &Arc<Session>) {
        let holder = holder(session);
        if !holder.session.is_empty() {
            self.open_tasks.session_closed(&holder.session);
        }
        if !holder.session.is_empty()
            && let Err(error) = self.control.grants.session_ended(&holder.session)
        {
            tracing::error!(%error, "the grants of a session that ended can't be taken back; they end with this process");
        }
        // Calls of it that still wait find that nobody can answer them.
        self.control.wakers.wake();
        self.endpoint.description().lifecycle.session_closed(session);
    }

    fn shutdown(&self) {
        self.endpoint.description().lifecycle.shutdown();
    }
}

impl Settled {
    pub(super) fn contains(&self, id: &QuestionId) -> bool {
        self.0.contains(id)
    }

    pub(super) fn insert(&mut self, id: QuestionId) {
        if self.0.len() >= MOST_SETTLED {
            self.0.clear();
        }
        self.0.insert(id);
    }
}

fn refused<'a>(exchange: &Exchange, error: &ErrorObject) -> BoxFuture<'a, Option<Message>> {
    let is_request = exchange.message.kind() == Kind::Request;
    let answer = is_request.then(|| Message::error(exchange.message.id(), error));
    Box::pin(std::future::ready(answer))
}
