//! Messages that the upstream sends on its own, and their delivery to clients.
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::task::Poll;
use std::time::Duration;

use overt_transport::client::Listener;
use overt_wire::edit::{self, Step};
use overt_wire::era::{Era, LogLevel, key};
use overt_wire::error::code;
use overt_wire::json::{Json, JsonBuf};
use overt_wire::text::Untrusted;
use overt_wire::{BoxFuture, ClientSink, ErrorObject, Id, Kind, Message, Method, Phase};
use tokio::time::Instant;

use crate::question::{self, Rate};
use crate::route::{Routes, Subscription};
use crate::session::UpstreamSession;
use crate::translate::subscription::{marked, unmarked};
use crate::translate::upstream_marks;
use crate::translate::upstream_question::{self, attribute_input_requests};
use crate::upstream::Upstream;

/// Handles the messages of one conversation.
pub(crate) struct Inbound {
    session: Weak<UpstreamSession>,
    routes: Arc<Routes>,
    upstream: Arc<Upstream>,
    rate: Rate,
}

/// The interval and the number of checks until the client is ready for a question.
const LOOK_AGAIN: Duration = Duration::from_millis(20);
const MOST_CHECKS: u32 = 500;

impl Inbound {
    pub(crate) fn new(session: Weak<UpstreamSession>, routes: Arc<Routes>, upstream: &Arc<Upstream>) -> Self {
        let rate = Rate::new(upstream.options.gateway_limits.max_questions_per_minute);
        Self { session, routes, upstream: Arc::clone(upstream), rate }
    }

    async fn handle_notification(&self, message: Message, about: Option<&Id>) {
        let Some(session) = self.session.upgrade() else { return };
        let Some(message) = self.as_upstreams(message) else { return };
        // Wait for a slow client if it delays only itself: on the stream of its call, or in a
        // session that no other client uses.
        let patient = about.is_some() || session.is_one_client();
        match message.method() {
            Some(Method::Progress) => self.progress(&message, patient).await,
            Some(Method::LogMessage) => self.log_message(&session, message, about, patient).await,
            // Withdraws a question. The transport has already handled this.
            Some(Method::Cancelled) | None => {}
            Some(_) => match subscription_of(&message) {
                Some(id) => {
                    if message.method() == Some(Method::ToolsChanged) {
                        session.tools_changed();
                    }
                    self.subscribed(&id, &message, patient).await;
                }
                None => session.announce(message).await,
            },
        }
    }

    /// Moves everything in the message that could be mistaken for Overt's own marks.
    fn as_upstreams(&self, message: Message) -> Option<Message> {
        let moved = upstream_marks::move_marks(message).ok();
        let shown = moved.and_then(|message| match message.method() {
            Some(Method::TaskChanged) => attribute_input_requests(message, self.upstream.scope()).ok(),
            _ => Some(message),
        });
        if shown.is_none() {
            self.dropped("a message whose marks or questions can't be shown as the upstream's");
        }
        shown
    }

    /// Passes progress on to the call with its token, under the token that the client chose.
    async fn progress(&self, message: &Message, patient: bool) {
        let token = message.param(key::PROGRESS_TOKEN).value().and_then(Id::of);
        let route = token.and_then(|token| self.routes.get(&token));
        let progress = message.param("progress").value().and_then(Json::number);
        if route.as_ref().is_some_and(|route| !route.may_tell(progress)) {
            return;
        }
        let client = route.map(|route| route.client());
        let restored = client.and_then(|client| {
            let path = [Step::Member("params"), Step::Member(key::PROGRESS_TOKEN)];
            let message = edit::set_in(message, &path, client.progress.as_ref()?.as_json()).ok()?;
            Some((client.sink, message))
        });
        match restored {
            Some((sink, message)) => self.deliver(&sink, message, patient).await,
            None => self.dropped("progress of no call"),
        }
    }

    async fn log_message(
        &self,
        session: &UpstreamSession,
        message: Message,
        about: Option<&Id>,
        patient: bool,
    ) {
        let level = message.param("level").string();
        // Treat an unknown level as important.
        let level = level.and_then(|level| LogLevel::parse(&level)).unwrap_or(LogLevel::Emergency);
        let route = match about {
            Some(id) => self.routes.get(id),
            None if !session.is_for_everyone() || self.upstream.options.one_client => self.routes.latest(),
            None => self.routes.only(),
        };
        match route.map(|route| route.client()) {
            Some(client) if client.logs.is_some_and(|least| level >= least) => {
                self.deliver(&client.sink, message, patient).await;
            }
            Some(_) => {}
            None if session.is_one_client() => session.announce(message).await,
            None => self.dropped("a log message of no call"),
        }
    }

    /// Passes a notification of a subscription on to the request that opened it.
    async fn subscribed(&self, id: &Id, message: &Message, patient: bool) {
        let Some(route) = self.routes.get(id) else {
            return self.dropped("a notification of no subscription");
        };
        let message = match &route.subscription {
            Subscription::None => return self.dropped("a notification of no subscription"),
            Subscription::Of(own) => marked(message, own),
            Subscription::Unmarked(acknowledged) => {
                if message.method() == Some(Method::SubscriptionAcknowledged) {
                    return acknowledged.notify_one();
                }
                Some(unmarked(message))
            }
        };
        if let Some(message) = message {
            self.deliver(&route.client().sink, message, patient).await;
        }
    }

    /// Sends a message to a client. If several clients share a conversation, one that doesn't read
    /// must not delay the others.
    async fn deliver(&self, sink: &Arc<dyn ClientSink>, message: Message, patient: bool) {
        let mut sending = tokio::task::unconstrained(sink.notify(message));
        if patient {
            let _ = sending.await;
            return;
        }
        let sent = poll_fn(|context| Poll::Ready(Pin::new(&mut sending).poll(context))).await;
        if sent.is_pending() {
            self.dropped("a message for a client that does not read");
        }
    }

    fn dropped(&self, what: &str) {
        self.upstream.counters.dropped.fetch_add(1, Ordering::Relaxed);
        tracing::debug!(upstream = self.upstream.label(), what, "dropped a message of the upstream");
    }

    async fn answer(
        &self,
        method: &str,
        params: Option<Json<'_>>,
        about: Option<&Id>,
    ) -> Result<JsonBuf, ErrorObject> {
        let sink = self.sink_for_question(Method::of(method), params, about).inspect_err(|error| {
            self.upstream.counters.refused_questions.fetch_add(1, Ordering::Relaxed);
            let upstream = self.upstream.label();
            tracing::info!(upstream, %error, method = %Untrusted(method), "a question did not reach the client");
        })?;
        let unreachable =
            || ErrorObject::new(code::INTERNAL, "the client can't be reached or did not answer in time");
        self.greeted().await;
        let elicits = Method::of(method) == Method::Elicit;
        let _person = elicits.then(|| self.routes.pause_deadlines(about));
        let moved = params.and_then(upstream_marks::move_marks_of_question);
        let params = moved.as_ref().map(JsonBuf::as_json).or(params);
        let attributed = upstream_question::attribute(method, params, self.upstream.scope())?;
        let params = attributed.as_ref().map(JsonBuf::as_json).or(params);
        let answer = sink.request(method, params).await.map_err(|_| unreachable())?;
        match answer.kind() {
            Kind::Result => Ok(upstream_question::answer_for_upstream(answer.result_body().value())),
            _ => Err(answer.error_body().unwrap_or_else(unreachable)),
        }
    }

    /// Waits until a legacy client has its first answer, because it accepts no questions before.
    async fn greeted(&self) {
        let session = self.session.upgrade().filter(|session| session.caller.era() == Era::Legacy);
        let client = session.and_then(|session| session.client()).filter(|client| client.is_one_client());
        let Some(client) = client else { return };
        let mut checks = 0;
        while !matches!(client.phase(), Phase::Ready(_)) && checks < MOST_CHECKS {
            tokio::time::sleep(LOOK_AGAIN).await;
            checks += 1;
        }
    }

    /// Returns the sink through which the client is asked, if the question is allowed.
    fn sink_for_question(
        &self,
        method: Method<'_>,
        params: Option<Json<'_>>,
        about: Option<&Id>,
    ) -> Result<Arc<dyn ClientSink>, ErrorObject> {
        let session = self.session.upgrade().ok_or_else(ErrorObject::internal)?;
        let route = self.routes.for_question(about, session.is_for_everyone());
        let client = route.as_ref().map(|route| route.client());
        let caller = client.as_ref().map_or(&session.caller, |client| &client.caller);
        question::check_capability(caller, method)?;
        // A modern client supports three kinds of questions; a legacy client may support more.
        if !question::is_known(method) && caller.era() == Era::Modern {
            return Err(ErrorObject::method_not_found(method.name()));
        }
        self.rate.take(Instant::now())?;
        let allowed = self.upstream.options.questions;
        if !allowed.secrets {
            question::check_form(method, params)?;
        }
        if let (Some(route), Some(client)) = (route, client) {
            route.ask();
            return Ok(client.sink);
        }
        // Roots are not secret to a server that the client uses, and many servers ask for them at
        // startup.
        let harmless = method == Method::RootsList;
        match session.client() {
            Some(client) if session.caller.era() == Era::Legacy && (harmless || allowed.unasked) => {
                Ok(Arc::clone(client.sink()))
            }
            _ => Err(ErrorObject::invalid_request(format!("`{method}` belongs to no call of the client"))),
        }
    }
}

impl Listener for Inbound {
    fn notification<'a>(&'a self, message: Message, about: Option<&'a Id>) -> BoxFuture<'a, ()> {
        Box::pin(self.handle_notification(message, about))
    }

    fn request<'a>(
        &'a self,
        method: &'a str,
        params: Option<Json<'a>>,
        about: Option<&'a Id>,
    ) -> BoxFuture<'a, Result<JsonBuf, ErrorObject>> {
        Box::pin(self.answer(method, params, about))
    }

    fn paused(&self, about: &Id, retry: Duration) {
        if let Some(route) = self.routes.get(about) {
            route.client().sink.pause(retry);
        }
    }

    fn noise(&self, line: &str) {
        let upstream = self.upstream.label();
        tracing::warn!(
            upstream,
            line = %Untrusted(line),
            "the upstream writes to its standard output what is not a protocol message; more of it is only counted"
        );
    }

    fn stderr(&self, line: &str) {
        tracing::info!(upstream = self.upstream.label(), line = %Untrusted(line), "upstream stderr");
    }
}

/// Returns the subscription that a notification belongs to.
fn subscription_of(message: &Message) -> Option<Id> {
    message.meta().get(key::SUBSCRIPTION_ID).value().and_then(Id::of)
}
