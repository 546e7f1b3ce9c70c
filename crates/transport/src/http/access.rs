//! Who may use the endpoint: programs of our own user, identified by the kernel, and clients with a valid token.
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};
use overt_wire::error::ErrorObject;

use super::body::Body;
use super::response::error_response;
use super::socket_owner::socket_owner;

/// Knows which tokens hold. Asked for each request of a client that is not our own user's.
pub trait TokenCheck: fmt::Debug + Send + Sync + 'static {
    fn is_valid(&self, token: &str) -> bool;
}

/// No token holds.
#[derive(Debug, Clone, Copy)]
pub struct NoTokens;

impl TokenCheck for NoTokens {
    fn is_valid(&self, _: &str) -> bool {
        false
    }
}

/// Who is at the other end of a connection. Found once, right after it was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Peer {
    /// A program of our own user on this machine.
    OwnUser,
    /// Every other client, and one that can't be identified.
    Other,
}

impl Peer {
    /// Only connections to a loopback address can be of our own user: elsewhere every request needs a token.
    pub(super) fn of(client: SocketAddr, server: SocketAddr) -> Self {
        let is_local = client.ip().to_canonical().is_loopback() && server.ip().to_canonical().is_loopback();
        let own = rustix::process::geteuid().as_raw();
        match is_local && socket_owner(client, server) == Some(own) {
            true => Self::OwnUser,
            false => Self::Other,
        }
    }
}

/// Lets a request through, or says what is missing.
pub(super) fn check(
    peer: Peer,
    tokens: &Arc<dyn TokenCheck>,
    headers: &HeaderMap,
) -> Result<(), Box<Response<Body>>> {
    if peer == Peer::OwnUser || bearer(headers).is_some_and(|token| tokens.is_valid(token)) {
        return Ok(());
    }
    let reason = match headers.contains_key(AUTHORIZATION) {
        true => "this token does not hold; the owner of this server makes one with `overt token create`",
        false => {
            "this server serves its owner; every other client sends `Authorization: Bearer TOKEN`, and the owner makes a token \
             with `overt token create`"
        }
    };
    let mut response = error_response(StatusCode::UNAUTHORIZED, None, &ErrorObject::invalid_request(reason));
    response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    Err(Box::new(response))
}

/// The token of a request. Two headers are none.
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
            assert_eq!(response.headers()[WWW_AUTHENTICATE], "Bearer", "no document describes how to log in");
            response.status().as_u16()
        })
    }

    #[test]
    fn a_11_our_own_user_passes_and_everybody_else_needs_a_token() {
        assert_eq!(status(Peer::OwnUser, &[]), None);
        assert_eq!(
            status(Peer::OwnUser, &["Bearer bad"]),
            None,
            "a token is not looked at where none is needed"
        );
        for good in ["Bearer good", "bearer good", "BEARER  good"] {
            assert_eq!(status(Peer::Other, &[good]), None, "{good}");
        }
        for bad in [
            &[][..],
            &["Bearer bad"],
            &["Bearer "],
            &["Bearer"],
            &["Basic good"],
            &["good"],
            &["Bearer good", "Bearer good"],
        ] {
            assert_eq!(status(Peer::Other, bad), Some(401), "{bad:?}");
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
