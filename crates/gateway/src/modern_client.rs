//! A modern client, with an upstream of either era.
use std::sync::Arc;
use std::time::Duration;

use overt_layers::seal::{Seal, random_name};
use overt_transport::client::ClientError;
use overt_transport::time_budget::TimeBudget;
use overt_wire::era::{Era, key};
use overt_wire::error::code;
use overt_wire::json::Object;
use overt_wire::{ErrorObject, Exchange, Message, Method};

use crate::forward::{self, Request, forward, forward_within};
use crate::legacy_questions;
use crate::listen::listen;
use crate::options::GatewayLimits;
use crate::pool::SessionPool;
use crate::route::{Recipient, Route, Subscription};
use crate::session::{Connection, Setting, UpstreamSession};
use crate::suspended::{AskingSink, Call, Question, SuspendedCalls};
use crate::translate::reply::id_of;
use crate::translate::request::{Meta, SESSION};
use crate::translate::subscription::closing;
use crate::translate::upstream_question::{answers_for_upstream, attribute_input_requests};
use crate::translate::{answer, handshake, input};

/// The state that is kept for modern clients.
pub(crate) struct ModernClients {
    pub(crate) suspended: Arc<SuspendedCalls>,
    /// Seals the handles of sessions.
    seal: Seal,
}

/// The first event of a call to a legacy upstream.
enum CallEvent {
    Answered(Result<Message, ErrorObject>),
    Asked(Question),
}

impl ModernClients {
    pub(crate) fn new(gateway_limits: &GatewayLimits) -> Self {
        let suspended =
            Arc::new(SuspendedCalls::new(gateway_limits.max_suspended, gateway_limits.suspended_for));
        Self { suspended, seal: Seal::random() }
    }

    pub(crate) async fn answer(
        &self,
        exchange: &Exchange,
        pool: &Arc<SessionPool>,
    ) -> Result<Message, ErrorObject> {
        // The state alone identifies the call, even if its session has ended.
        if is_answered(&exchange.message)
            && let Some(call) = self.suspended.resume(exchange)
        {
            call.attach(Recipient::of(exchange));
            return Box::pin(self.go_on(call, exchange)).await;
        }
        let handle = self.handle_of(exchange)?;
        let session = pool.for_modern(exchange, handle).await?;
        let connection = session.connection().await?;
        match connection.era() {
            Era::Modern => same_era(&session, exchange).await,
            // Unlike a modern upstream, a legacy one has no states of its own: the state must name
            // a call here.
            Era::Legacy if is_answered(&exchange.message) => Err(ErrorObject::invalid_params(
                "`requestState` names no call that waits for answers; it may have expired. Whether that call had an effect \
                 is not known; send the request again without it if that does no harm",
            )),
            Era::Legacy => Box::pin(self.older_upstream(&session, &connection, exchange)).await,
        }
    }

    async fn older_upstream(
        &self,
        session: &Arc<UpstreamSession>,
        connection: &Arc<Connection>,
        exchange: &Exchange,
    ) -> Result<Message, ErrorObject> {
        let method = exchange.message.method().unwrap_or(Method::Other(""));
        let info = handshake::info(connection.client.server(), session.upstream.label());
        match method {
            Method::Discover => {
                let handle = self.seal.close(&random_name());
                let result =
                    handshake::discover(connection.client.server(), session.upstream.label(), &handle);
                Ok(Message::result(&id_of(exchange), result.as_json()))
            }
            Method::Listen => listen(session, connection, exchange, &info).await,
            Method::TasksGet | Method::TasksUpdate | Method::TasksCancel => Err(ErrorObject::new(
                code::METHOD_NOT_FOUND,
                format!(
                    "`{method}` can't be carried to a server of an older protocol version, which has no such tasks"
                ),
            )),
            _ => {
                // A legacy upstream has one log level for the whole session. Messages that a
                // request did not ask for are dropped on the way back.
                if let Some(level) = exchange.log_level() {
                    session.apply_setting(Setting::Level(level)).await;
                }
                self.go_on(begin(session, exchange), exchange).await
            }
        }
    }

    /// Runs a call until it is answered or has questions. The time that the client takes to answer
    /// does not count.
    async fn go_on(&self, mut call: Call, exchange: &Exchange) -> Result<Message, ErrorObject> {
        let label = call.session.upstream.label();
        let info = match call.session.live() {
            Some(connection) => handshake::info(connection.client.server(), label),
            None => Object::new().string("name", label).string("version", "unknown").finish(),
        };
        if call.open.is_empty() {
            let budget = call.session.upstream.options.limits.request_budget();
            let next = async {
                tokio::select! {
                    biased;
                    answer = &mut call.run => CallEvent::Answered(answer),
                    Some(question) = call.questions.recv() => CallEvent::Asked(question),
                }
            };
            match budget.run(&exchange.deadline, next).await {
                Ok(CallEvent::Answered(answer)) => {
                    return answer.map(|answer| answer::for_modern(exchange.message.method(), answer, &info));
                }
                Ok(CallEvent::Asked(question)) => call.note(question),
                Err(_) => {
                    let (session, route) = (Arc::clone(&call.session), Arc::clone(&call.route));
                    return Err(timed_out(&session, &route, &exchange.message, budget.work).await);
                }
            }
        }
        while let Ok(question) = call.questions.try_recv() {
            call.note(question);
        }
        let result = self.suspended.put(call, exchange, &info)?;
        Ok(Message::result(&id_of(exchange), result.as_json()))
    }

    /// Returns the handle with which a client comes back to its own session.
    fn handle_of(&self, exchange: &Exchange) -> Result<Option<String>, ErrorObject> {
        let Some(sealed) = exchange.message.meta().get(SESSION).string() else { return Ok(None) };
        self.seal.open(&sealed).map(Some).ok_or_else(|| {
            ErrorObject::invalid_params(format!(
                "`{SESSION}` names no session of this server; ask `server/discover` for one, or leave it out"
            ))
        })
    }
}

/// Forwards a request to a modern upstream. Only the id, the progress token and the subscription id
/// change, and questions of the upstream are marked as its own.
async fn same_era(session: &Arc<UpstreamSession>, exchange: &Exchange) -> Result<Message, ErrorObject> {
    let client = Recipient::of(exchange);
    let own = id_of(exchange);
    let is_listen = exchange.message.method() == Some(Method::Listen);
    let route = if is_listen {
        Route::subscription(client, Subscription::Of(own.clone()))
    } else {
        Route::call(client, false)
    };
    let restored = answers_for_upstream(&exchange.message).map_err(|_| ErrorObject::internal())?;
    let message = restored.as_ref().unwrap_or(&exchange.message);
    let request = Request { message, meta: Meta::Same, era: Era::Modern, route: &route };
    let answer = forward(session, request).await?;
    input::check_kind(&answer, exchange.caller.has_extension(key::TASKS))?;
    let wants_input = input::wants_input(&answer);
    if wants_input && !exchange.message.method().is_some_and(may_be_asked) {
        return Err(input::broken("it wants input where none may be asked for"));
    }
    if is_listen {
        return Ok(closing(answer, &own));
    }
    // A task has its questions in the result of `tasks/get`.
    if !wants_input && exchange.message.method() != Some(Method::TasksGet) {
        return Ok(answer);
    }
    legacy_questions::check_all(&exchange.caller, &session.upstream, &answer)?;
    attribute_input_requests(answer, session.upstream.scope()).map_err(|error| input::broken(&error.message))
}

/// Starts a call to a legacy upstream.
fn begin(session: &Arc<UpstreamSession>, exchange: &Exchange) -> Call {
    let (sink, questions) = AskingSink::new();
    let client = Recipient::of(exchange);
    let can_ask = exchange.message.method().is_some_and(may_be_asked);
    let route = Route::call(client.clone(), can_ask);
    let run = {
        let (session, route, message) = (Arc::clone(session), Arc::clone(&route), exchange.message.clone());
        // The call itself has no time limit: `go_on` limits the time of each request.
        Box::pin(async move {
            let request = Request { message: &message, meta: Meta::Without, era: Era::Legacy, route: &route };
            forward_within(TimeBudget::UNLIMITED, &session, request).await
        })
    };
    let session = Arc::clone(session);
    let call = Call { run, questions, open: Vec::new(), route, sink, session, asked: 0 };
    call.attach(client);
    call
}

/// Returns the error for a call that the upstream did not answer in time.
async fn timed_out(
    session: &UpstreamSession,
    route: &Arc<Route>,
    request: &Message,
    after: Duration,
) -> ErrorObject {
    if let Some(connection) = session.live().filter(|connection| connection.routes.contains(route)) {
        forward::timed_out(session, &connection, route).await;
    }
    let error = ClientError::TimedOut { method: String::new(), after, dropped: None };
    forward::explain(request, &error, session.upstream.label())
}

/// Whether a modern upstream may ask the client questions during this request.
fn may_be_asked(method: Method<'_>) -> bool {
    matches!(method, Method::ToolsCall | Method::ResourcesRead | Method::PromptsGet)
}

/// Whether a request comes back with answers.
fn is_answered(message: &Message) -> bool {
    message.method().is_some_and(may_be_asked) && !message.param("requestState").is_absent()
}
