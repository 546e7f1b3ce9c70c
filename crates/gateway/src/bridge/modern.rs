//! A modern client, whatever the upstream speaks.
use std::sync::{Arc, PoisonError};

use overt_layers::seal::{Seal, random_name};
use overt_transport::time_budget::TimeBudget;
use overt_wire::era::{Era, LogLevel, key};
use overt_wire::json::Object;
use overt_wire::{ErrorObject, Exchange, Message, Method};

use super::reply::id_of;
use super::suspended::{AskingOutlet, Call, Suspended};
use super::watching::listen;
use super::{dress, hello, rounds};
use crate::lane::{Asking, Connection, Lane};
use crate::lanes::{Lanes, may_be_asked};
use crate::options::Holdings;
use crate::pass::{open, pass, pass_within};
use crate::request::{Meta, SESSION};
use crate::route::{Recipient, Route, Subscription};
use crate::upstream::Upstream;
use crate::upstream_question::{answers_for_upstream, attribute_input_requests};

/// What is held for modern clients.
pub(crate) struct Modern {
    pub(crate) suspended: Arc<Suspended>,
    /// For the handles of sessions.
    seal: Seal,
}

impl Modern {
    pub(crate) fn new(holdings: &Holdings) -> Self {
        let suspended = Arc::new(Suspended::new(holdings.max_suspended, holdings.suspended_for));
        Self { suspended, seal: Seal::random() }
    }

    pub(crate) async fn answer(
        &self,
        exchange: &Exchange,
        upstream: &Arc<Upstream>,
        lanes: &Lanes,
    ) -> Result<Message, ErrorObject> {
        let handle = self.handle_of(exchange)?;
        let lane = lanes.for_modern(upstream, exchange, handle.as_deref()).await?;
        check_headers(&lane, exchange).await?;
        let connection = lane.connection().await?;
        match connection.era() {
            Era::Modern => same_era(&lane, exchange).await,
            // The handle is ours; a modern upstream has its own.
            Era::Legacy if is_answered(&exchange.message) => {
                let call = self.suspended.resume(&exchange.message)?;
                call.attach(Recipient::of(exchange));
                Box::pin(self.go_on(call, exchange)).await
            }
            Era::Legacy => Box::pin(self.older_upstream(lanes, &lane, &connection, exchange)).await,
        }
    }

    async fn older_upstream(
        &self,
        lanes: &Lanes,
        lane: &Arc<Lane>,
        connection: &Arc<Connection>,
        exchange: &Exchange,
    ) -> Result<Message, ErrorObject> {
        let method = exchange.message.method().unwrap_or(Method::Other(""));
        let info = hello::info(connection.client.server(), lane.upstream.label());
        match method {
            Method::Discover => {
                let session = self.seal.close(&random_name());
                let result = hello::discover(connection.client.server(), lane.upstream.label(), &session);
                Ok(Message::result(&id_of(exchange), result.as_json()))
            }
            Method::Listen => listen(lane, connection, exchange, &info).await,
            Method::TasksGet | Method::TasksUpdate | Method::TasksCancel => Err(ErrorObject::new(
                overt_wire::error::code::METHOD_NOT_FOUND,
                format!(
                    "`{method}` can't be carried to a server of an older protocol version, which has no such tasks"
                ),
            )),
            _ => {
                let (lane, asking) = match self.exclusive(lanes, lane, exchange)? {
                    Some((own, asking)) => (own, Some(asking)),
                    None => (Arc::clone(lane), None),
                };
                set_level(&lane, exchange).await;
                let call = begin(&lane, exchange, asking);
                self.go_on(call, exchange).await
            }
        }
    }

    /// A lane for a call that may be asked questions. When there is none, the call that has waited longest for its client
    /// makes room.
    fn exclusive(
        &self,
        lanes: &Lanes,
        lane: &Arc<Lane>,
        exchange: &Exchange,
    ) -> Result<Option<(Arc<Lane>, Asking)>, ErrorObject> {
        match lanes.exclusive(lane, exchange) {
            Err(_) if self.suspended.make_room(&lane.who) => lanes.exclusive(lane, exchange),
            found => found,
        }
    }

    /// Runs a call until it is answered or has questions. The time that its client takes to answer does not count.
    async fn go_on(&self, mut call: Call, exchange: &Exchange) -> Result<Message, ErrorObject> {
        let info = match call.lane.live() {
            Some(connection) => hello::info(connection.client.server(), call.lane.upstream.label()),
            None => {
                Object::new().string("name", call.lane.upstream.label()).string("version", "unknown").finish()
            }
        };
        if call.open.is_empty() {
            let patience = call.lane.upstream.options.limits.request_deadline;
            tokio::select! {
                biased;
                answer = &mut call.run => {
                    call.done();
                    return answer.map(|answer| dress::dressed(exchange.message.method(), answer, &info));
                }
                Some(question) = call.questions.recv() => call.note(question),
                () = tokio::time::sleep(patience) => return Err(call.timed_out(patience)),
            }
        }
        while let Ok(question) = call.questions.try_recv() {
            call.note(question);
        }
        let result = self.suspended.put(call, &exchange.message, &info)?;
        Ok(Message::result(&id_of(exchange), result.as_json()))
    }

    /// The handle with which a client comes back to a session that is held for it alone.
    fn handle_of(&self, exchange: &Exchange) -> Result<Option<String>, ErrorObject> {
        let Some(sealed) = exchange.message.meta().get(SESSION).string() else { return Ok(None) };
        self.seal.open(&sealed).map(Some).ok_or_else(|| {
            ErrorObject::invalid_params(format!(
                "`{SESSION}` names no session of this server; ask `server/discover` for one, or leave it out"
            ))
        })
    }
}

/// Nothing differs but the id, the progress token and the name of a subscription.
async fn same_era(lane: &Arc<Lane>, exchange: &Exchange) -> Result<Message, ErrorObject> {
    let client = Recipient::of(exchange);
    let own = id_of(exchange);
    let is_listen = exchange.message.method() == Some(Method::Listen);
    let route = if is_listen {
        Route::subscription(client, Subscription::Of(own.clone()))
    } else {
        Route::call(client, false)
    };
    let restored = answers_for_upstream(&exchange.message).map_err(|_| ErrorObject::internal())?;
    let request = restored.as_ref().unwrap_or(&exchange.message);
    let answer = pass(lane, Era::Modern, request, &route, Meta::Same).await?;
    rounds::check_kind(&answer, exchange.caller.has_extension(key::TASKS))?;
    let wants_input = rounds::wants_input(&answer);
    if wants_input && !exchange.message.method().is_some_and(may_be_asked) {
        return Err(rounds::broken("it wants input where none may be asked for"));
    }
    if is_listen {
        return Ok(crate::listeners::closing(answer, &own));
    }
    // A task has its questions in `tasks/get`.
    if !wants_input && exchange.message.method() != Some(Method::TasksGet) {
        return Ok(answer);
    }
    rounds::check_all(&exchange.caller, &lane.upstream, &answer)?;
    attribute_input_requests(answer, lane.upstream.scope()).map_err(|error| rounds::broken(&error.message))
}

/// Sends a call on its way to a legacy upstream.
fn begin(lane: &Arc<Lane>, exchange: &Exchange, exclusive: Option<Asking>) -> Call {
    let (outlet, questions) = AskingOutlet::new();
    let client = Recipient::of(exchange);
    let can_ask = exchange.message.method().is_some_and(may_be_asked);
    let route = Route::call(client.clone(), can_ask);
    let run = {
        let (lane, route, message) = (Arc::clone(lane), Arc::clone(&route), exchange.message.clone());
        // Time is counted where the client is waited for.
        Box::pin(async move {
            pass_within(TimeBudget::UNLIMITED, &lane, Era::Legacy, &message, &route, Meta::Without).await
        })
    };
    let lane = Arc::clone(lane);
    let call = Call { run, questions, open: Vec::new(), route, outlet, lane, asked: 0, exclusive };
    call.attach(client);
    call
}

/// A modern request says which log messages it wants; a legacy upstream has one level for the whole conversation.
/// The most talkative wish wins; what a request has not asked for is left out on the way back.
async fn set_level(lane: &Arc<Lane>, exchange: &Exchange) {
    let Some(wanted) = exchange.log_level() else { return };
    let lower = {
        let standing = lane.standing.lock().unwrap_or_else(PoisonError::into_inner);
        standing.level.is_none_or(|level| wanted < level)
    };
    if !lower {
        return;
    }
    let Ok(connection) = open(lane, Era::Legacy).await else { return };
    if connection.client.server().capabilities.as_json().get("logging").is_absent() {
        return;
    }
    let params = Object::new().string("level", LogLevel::as_str(wanted)).finish();
    let request = Message::request(&connection.new_id(), Method::SetLevel.name(), Some(params.as_json()));
    let told = connection.carry(&request, lane.upstream.options.limits.request_deadline).await;
    if told.is_ok() {
        let mut standing = lane.standing.lock().unwrap_or_else(PoisonError::into_inner);
        standing.level = Some(standing.level.map_or(wanted, |level| level.min(wanted)));
    }
}

/// What a modern HTTP client repeats in headers must be what it says in the body.
async fn check_headers(lane: &Arc<Lane>, exchange: &Exchange) -> Result<(), ErrorObject> {
    let Some(headers) = &exchange.param_headers else { return Ok(()) };
    if exchange.message.method() != Some(Method::ToolsCall) {
        return Ok(());
    }
    if !lane.tools.is_listed() {
        // An upstream that can't list its tools has none to check.
        let _ = Box::pin(lane.list_tools()).await;
    }
    lane.tools.check(headers, exchange.message.params())
}

/// Whether a request comes back with answers.
fn is_answered(message: &Message) -> bool {
    message.method().is_some_and(may_be_asked) && !message.params().get("requestState").is_absent()
}
