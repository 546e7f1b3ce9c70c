//! Requests that carry credentials, and servers that refuse them.
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use overt_transport::client::{
    Client, ClientError, Credentials, CredentialsError, HttpTarget, Refusal, RetryDecision, Secret, Target,
};
use overt_wire::BoxFuture;

use super::lines::{LEGACY_HELLO, MODERN_HELLO};
use super::seen::{Heard, options};
use super::web::{Reply, Seen, Web};

/// Numbered tokens: each refusal switches to the next token, until the last one.
#[derive(Default)]
struct Numbered {
    current: AtomicUsize,
    last: usize,
    refusals: AtomicUsize,
}

impl Credentials for Numbered {
    fn authorization(&self) -> BoxFuture<'_, Result<Option<Secret>, CredentialsError>> {
        Box::pin(async { Ok(Some(Secret::new(format!("Bearer t{}", self.current.load(Ordering::SeqCst))))) })
    }

    fn refused<'a>(&'a self, refusal: &'a Refusal) -> BoxFuture<'a, Result<RetryDecision, CredentialsError>> {
        Box::pin(async move {
            self.refusals.fetch_add(1, Ordering::SeqCst);
            let current = self.current.load(Ordering::SeqCst);
            assert_eq!(refusal.sent.as_ref().unwrap().expose(), format!("Bearer t{current}"));
            if refusal.challenges.iter().any(|challenge| challenge.contains("broken")) {
                return Err(CredentialsError::new("the clerk is ill").with_hint("come back tomorrow"));
            }
            if current == self.last {
                return Ok(RetryDecision::GiveUp);
            }
            self.current.store(current + 1, Ordering::SeqCst);
            Ok(RetryDecision::TryAgain)
        })
    }
}

fn numbered(last: usize) -> Arc<Numbered> {
    Arc::new(Numbered { last, ..Numbered::default() })
}

fn target(web: &Web, credentials: &Arc<Numbered>) -> Target {
    let credentials: Arc<dyn Credentials> = Arc::<Numbered>::clone(credentials);
    Target::Http(HttpTarget { credentials: Some(credentials), ..HttpTarget::new(&web.url) })
}

fn tokens(seen: &[Seen]) -> Vec<&str> {
    seen.iter().map(|seen| seen.header("authorization").unwrap_or("none")).collect()
}

#[tokio::test]
async fn every_request_of_a_session_carries_them() {
    let web = Web::serve(|seen| match seen.what.as_str() {
        "POST initialize" => Reply::json(seen.result(LEGACY_HELLO)).with("Mcp-Session-Id", "s"),
        "POST notifications/initialized" => Reply::status(202),
        "GET" => Reply::status(405),
        "POST server/discover" => Reply::json(seen.error(r#"{"code":-32601,"message":"?"}"#)),
        _ => Reply::json(seen.result("{}")),
    })
    .await;
    let client = Client::connect(&target(&web, &numbered(0)), options(|_| {}), Heard::new()).await.unwrap();
    client.request("ping", None).await.unwrap();
    client.close().await;
    let seen = web.wait_for("DELETE", 1).await;
    assert_eq!(tokens(&seen), ["Bearer t0"]);
    let seen = web.seen();
    assert!(seen.len() >= 6, "{seen:?}");
    assert!(tokens(&seen).iter().all(|token| *token == "Bearer t0"), "{seen:?}");
}

#[tokio::test]
async fn a_refused_request_is_tried_once_more() {
    for refusal in [
        || Reply::status(401).with("WWW-Authenticate", "Bearer"),
        || Reply::status(403).with("WWW-Authenticate", r#"Bearer error="insufficient_scope""#),
    ] {
        let web = Web::serve(move |seen| match seen.header("authorization") {
            Some("Bearer t1") if seen.what == "POST server/discover" => {
                Reply::json(seen.result(MODERN_HELLO))
            }
            Some("Bearer t1") => Reply::json(seen.result(r#"{"resultType":"complete"}"#)),
            _ => refusal(),
        })
        .await;
        let credentials = numbered(9);
        let client =
            Client::connect(&target(&web, &credentials), options(|_| {}), Heard::new()).await.unwrap();
        client.request("x/y", None).await.unwrap();
        assert_eq!(tokens(&web.seen()), ["Bearer t0", "Bearer t1", "Bearer t1"]);
        assert_eq!(credentials.refusals.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test]
async fn up_12_a_second_refusal_is_final() {
    let web = Web::serve(|_| Reply::status(401).with("WWW-Authenticate", "Bearer").text("no")).await;
    for (last, sent) in [(9, 2), (0, 1)] {
        let before = web.seen().len();
        let error = Client::connect(&target(&web, &numbered(last)), options(|_| {}), Heard::new()).await;
        assert!(matches!(error, Err(ClientError::Status { status: 401, .. })), "{error:?}");
        assert_eq!(web.seen().len() - before, sent);
    }
}

#[tokio::test]
async fn up_12_other_refusals_are_not_tried_again() {
    let web =
        Web::serve(|_| Reply::status(403).with("WWW-Authenticate", r#"Bearer error="invalid_token""#)).await;
    let credentials = numbered(9);
    let error = Client::connect(&target(&web, &credentials), options(|_| {}), Heard::new()).await;
    assert!(matches!(error, Err(ClientError::Status { status: 403, .. })), "{error:?}");
    assert_eq!((web.seen().len(), credentials.refusals.load(Ordering::SeqCst)), (1, 0));
}

#[tokio::test]
async fn failed_authorization_says_why_and_what_to_do() {
    let web = Web::serve(|_| Reply::status(401).with("WWW-Authenticate", "Bearer broken")).await;
    let error =
        Client::connect(&target(&web, &numbered(9)), options(|_| {}), Heard::new()).await.unwrap_err();
    assert!(matches!(error, ClientError::Unauthorized { .. }), "{error}");
    assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "the clerk is ill");
    assert_eq!(error.hint().as_deref(), Some("come back tomorrow"));
    assert!(!format!("{error:?}").contains("t0"), "{error:?}");
}

#[tokio::test]
async fn up_12_no_credentials_after_a_redirect() {
    let other = Web::serve(|seen| Reply::json(seen.result(MODERN_HELLO))).await;
    let location = other.url.clone();
    let web = Web::serve(move |_| Reply::status(307).with("Location", &location)).await;
    let error = Client::connect(&target(&web, &numbered(9)), options(|_| {}), Heard::new()).await;
    assert!(matches!(error, Err(ClientError::Redirected { .. })), "{error:?}");
    assert!(other.seen().is_empty());
}
