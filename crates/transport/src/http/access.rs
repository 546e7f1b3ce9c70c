//! Authenticates requests to the endpoint (A-11): those of programs of our own user, whom the
//! kernel identifies, and those with a valid token.
use std::fmt;
use std::net::SocketAddr;

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};
use overt_wire::error::ErrorObject;
use overt_wire::{BoxFuture, Principal};

use super::body::Body;
use super::response::error_response;
use super::socket_owner::socket_owner;

/// Finds who makes a request, once for each request.
pub trait Authenticate: fmt::Debug + Send + Sync + 'static {
    /// Returns the holder of a token. `None` if the token is not valid.
    fn token_holder<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Option<Principal>>;
}

/// Accepts no token.
#[derive(Debug, Clone, Copy)]
pub struct NoTokens;

impl Authenticate for NoTokens {
    fn token_holder<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Option<Principal>> {
        Box::pin(std::future::ready(None))
    }
}

/// The owner of a client's program. It is determined once, right after the connection was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Peer {
    /// A program of our own user on this machine.
    OwnUser,
    /// Any other client, including one that can't be identified.
    Other,
}

impl Peer {
    /// Identifies the peer of a connection. Only a loopback connection can belong to our own user;
    /// all others need a token for every request.
    pub(super) fn of(client: SocketAddr, server: SocketAddr) -> Self {
        let is_local = client.ip().to_canonical().is_loopback() && server.ip().to_canonical().is_loopback();
        let own = rustix::process::geteuid().as_raw();
        match is_local && socket_owner(client, server) == Some(own) {
            true => Self::OwnUser,
            false => Self::Other,
        }
    }
}

/// Finds who makes a request, or returns the response that says what is missing.
pub(super) async fn authenticate(
    peer: Peer,
    tokens: &dyn Authenticate,
    headers: &HeaderMap,
) -> Result<Principal, Box<Response<Body>>> {
    // If a client sends `Authorization`, only the token counts, even for a program of our own user.
    let is_sent = headers.contains_key(AUTHORIZATION);
    let principal = match (is_sent, bearer(headers)) {
        (true, Some(token)) => tokens.token_holder(token).await,
        (true, None) => None,
        (false, _) => (peer == Peer::OwnUser).then(Principal::local),
    };
    if let Some(principal) = principal {
        return Ok(principal);
    }
    let (reason, challenge) = match is_sent {
        true => (INVALID, r#"Bearer realm="overt", error="invalid_token""#),
        false => (MISSING, r#"Bearer realm="overt""#),
    };
    let mut response = error_response(StatusCode::UNAUTHORIZED, None, &ErrorObject::invalid_request(reason));
    response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
    Err(Box::new(response))
}

const INVALID: &str = "this token is not valid; the owner of this server makes one with `overt token create`";
const MISSING: &str = "this server serves its owner; every other client sends `Authorization: Bearer TOKEN`, and the owner \
                       makes a token with `overt token create`";

/// The bearer token of a request; `None` if there are two `Authorization` headers.
pub(super) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next()?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    let is_one = values.next().is_none() && scheme.eq_ignore_ascii_case("bearer");
    is_one.then(|| token.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct One;

    impl Authenticate for One {
        fn token_holder<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Option<Principal>> {
            Box::pin(std::future::ready((token == "good").then(|| Principal::token_holder("good"))))
        }
    }

    async fn status(peer: Peer, values: &[&str]) -> Option<u16> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        }
        authenticate(peer, &One, &headers).await.err().map(|response| {
            let challenge = response.headers()[WWW_AUTHENTICATE].to_str().unwrap();
            assert!(challenge.starts_with(r#"Bearer realm="overt""#), "{challenge}");
            assert!(!challenge.contains("resource_metadata"), "no document describes how to log in");
            assert_eq!(challenge.contains("invalid_token"), !values.is_empty());
            response.status().as_u16()
        })
    }

    #[tokio::test]
    async fn a_11_our_own_user_passes_and_everybody_else_needs_a_token() {
        assert_eq!(status(Peer::OwnUser, &[]).await, None);
        for good in ["Bearer good", "bearer good", "BEARER  good"] {
            assert_eq!(status(Peer::Other, &[good]).await, None, "{good}");
            assert_eq!(status(Peer::OwnUser, &[good]).await, None, "{good}");
        }
        assert_eq!(status(Peer::Other, &[]).await, Some(401));
        for bad in [
            &["Bearer bad"][..],
            &["Bearer "],
            &["Bearer"],
            &["Basic good"],
            &["good"],
            &["Bearer good", "Bearer good"],
        ] {
            assert_eq!(status(Peer::Other, bad).await, Some(401), "{bad:?}");
            assert_eq!(
                status(Peer::OwnUser, bad).await,
                Some(401),
                "a wrong token is refused, whoever sends it: {bad:?}"
            );
        }
    }

    #[test]
    fn a_11_only_loopback_has_an_own_user() {
        let (near, far) = ("127.0.0.1:1".parse().unwrap(), "10.0.0.1:2".parse().unwrap());
        assert_eq!(Peer::of(far, near), Peer::Other);
        assert_eq!(Peer::of(near, far), Peer::Other);
        assert_eq!(Peer::of(near, near), Peer::Other, "there is no such connection");
    }
}
