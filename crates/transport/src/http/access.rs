//! Authenticates clients of the endpoint (A-11): programs of our own user, identified by the
//! kernel, and clients with a valid token.
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};
use overt_wire::error::ErrorObject;

use super::body::Body;
use super::response::error_response;
use super::socket_owner::socket_owner;

/// Decides which tokens are valid. It is called for each request with a token.
pub trait TokenCheck: fmt::Debug + Send + Sync + 'static {
    fn is_valid(&self, token: &str) -> bool;
}

/// Accepts no token.
#[derive(Debug, Clone, Copy)]
pub struct NoTokens;

impl TokenCheck for NoTokens {
    fn is_valid(&self, _: &str) -> bool {
        false
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

/// Accepts a request, or returns the response that says what is missing.
pub(super) fn check(
    peer: Peer,
    tokens: &Arc<dyn TokenCheck>,
    headers: &HeaderMap,
) -> Result<(), Box<Response<Body>>> {
    // If a client sends `Authorization`, only the token counts, even for a program of our own user.
    let is_sent = headers.contains_key(AUTHORIZATION);
    let is_known = match is_sent {
        true => bearer(headers).is_some_and(|token| tokens.is_valid(token)),
        false => peer == Peer::OwnUser,
    };
    if is_known {
        return Ok(());
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

    impl TokenCheck for One {
        fn is_valid(&self, token: &str) -> bool {
            token == "good"
        }
    }

    fn status(peer: Peer, values: &[&str]) -> Option<u16> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        }
        let tokens: Arc<dyn TokenCheck> = Arc::new(One);
        check(peer, &tokens, &headers).err().map(|response| {
            let challenge = response.headers()[WWW_AUTHENTICATE].to_str().unwrap();
            assert!(challenge.starts_with(r#"Bearer realm="overt""#), "{challenge}");
            assert!(!challenge.contains("resource_metadata"), "no document describes how to log in");
            assert_eq!(challenge.contains("invalid_token"), !values.is_empty());
            response.status().as_u16()
        })
    }

    #[test]
    fn a_11_our_own_user_passes_and_everybody_else_needs_a_token() {
        assert_eq!(status(Peer::OwnUser, &[]), None);
        for good in ["Bearer good", "bearer good", "BEARER  good"] {
            assert_eq!(status(Peer::Other, &[good]), None, "{good}");
            assert_eq!(status(Peer::OwnUser, &[good]), None, "{good}");
        }
        assert_eq!(status(Peer::Other, &[]), Some(401));
        for bad in [
            &["Bearer bad"][..],
            &["Bearer "],
            &["Bearer"],
            &["Basic good"],
            &["good"],
            &["Bearer good", "Bearer good"],
        ] {
            assert_eq!(status(Peer::Other, bad), Some(401), "{bad:?}");
            assert_eq!(
                status(Peer::OwnUser, bad),
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
