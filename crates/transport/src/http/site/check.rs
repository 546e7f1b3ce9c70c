//! Checks who may use the page and its API: pages of our own origin, opened by our own user, with
//! the token of this launch.
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap};
use hyper::{Method, StatusCode, Uri};
use sha2::{Digest as _, Sha256};

use super::super::access::{Peer, bearer};
use super::super::guard::Guard;
use super::reply::SiteRefusal;
use super::request::SiteMethod;

/// The requirements for a request.
#[derive(Debug)]
pub(super) struct Check {
    pub(super) guard: Guard,
    /// A digest of the token, so that the comparison takes the same time for every guess.
    pub(super) token: [u8; 32],
}

/// Every path under this prefix needs the token. The other paths serve the page's program, which is
/// not secret.
const API: &str = "/api/";

pub(super) fn token_digest(token: &str) -> [u8; 32] {
    Sha256::digest(token).into()
}

impl Check {
    pub(super) fn method(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
        peer: Peer,
    ) -> Result<SiteMethod, SiteRefusal> {
        let refuse = |status, reason| Err(SiteRefusal { status, reason });
        if let Err(away) = self.guard.check(uri, headers) {
            return refuse(away.status, away.reason);
        }
        // Other users may see the URL that opens the page in the process list.
        if cfg!(target_os = "linux") && peer != Peer::OwnUser {
            return refuse(StatusCode::FORBIDDEN, "this page is for the user who started it");
        }
        if headers.get("sec-fetch-site").is_some_and(|site| site == "cross-site" || site == "same-site")
            && uri.path().starts_with(API)
        {
            return refuse(StatusCode::FORBIDDEN, "other pages may not use this one");
        }
        let is_known = bearer(headers).is_some_and(|token| token_digest(token) == self.token);
        if uri.path().starts_with(API) && !is_known {
            let reason = match headers.contains_key(AUTHORIZATION) {
                true => "the token of this page does not hold any more; open the page with `overt ui --open`",
                false => "this page needs the token of its launch; open it with `overt ui --open`",
            };
            return refuse(StatusCode::UNAUTHORIZED, reason);
        }
        match *method {
            Method::GET | Method::HEAD => Ok(SiteMethod::Get),
            Method::POST if !uri.path().starts_with(API) => {
                refuse(StatusCode::METHOD_NOT_ALLOWED, "this can only be read")
            }
            // A form on another page can't send this media type. The origin check is not enough,
            // because a program that is not a page need not send an origin.
            Method::POST if headers.get(CONTENT_TYPE).is_none_or(|kind| kind != "application/json") => {
                refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "send `Content-Type: application/json`")
            }
            Method::POST => Ok(SiteMethod::Post),
            _ => refuse(StatusCode::METHOD_NOT_ALLOWED, "only GET and POST are known here"),
        }
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    /// The status of a request with these headers; `None` if it passes.
    fn status(
        method: &Method,
        path: &'static str,
        pairs: &[(&'static str, &str)],
        peer: Peer,
    ) -> Option<u16> {
        let guard = Guard::new("127.0.0.1:7391".parse().unwrap(), &[], &[]);
        let check = Check { guard, token: token_digest("secret") };
        let mut headers = HeaderMap::new();
        headers.insert("host", HeaderValue::from_static("127.0.0.1:7391"));
        for (name, value) in pairs {
            headers.insert(*name, HeaderValue::from_str(value).unwrap());
        }
        let verdict = check.method(method, &Uri::from_static(path), &headers, peer);
        verdict.err().map(|refused| refused.status.as_u16())
    }

    const TOKEN: (&str, &str) = ("authorization", "Bearer secret");
    const JSON: (&str, &str) = ("content-type", "application/json");

    #[test]
    fn the_api_needs_the_token_and_the_program_of_the_page_does_not() {
        let of = |path, pairs: &[_]| status(&Method::GET, path, pairs, Peer::OwnUser);
        assert_eq!(of("/", &[]), None);
        assert_eq!(of("/overt.js", &[]), None);
        assert_eq!(of("/api/hello", &[TOKEN]), None);
        for bad in [&[][..], &[("authorization", "Bearer other")], &[("authorization", "Basic secret")]] {
            assert_eq!(of("/api/hello", bad), Some(401), "{bad:?}");
        }
    }

    #[test]
    fn other_users_and_other_pages_are_refused_even_with_the_token() {
        let of = |pairs: &[_], peer| status(&Method::GET, "/api/hello", pairs, peer);
        if cfg!(target_os = "linux") {
            assert_eq!(of(&[TOKEN], Peer::Other), Some(403));
        }
        for bad in [
            ("host", "evil.example:7391"),
            ("host", "127.0.0.1:80"),
            ("origin", "http://evil.example"),
            ("origin", "null"),
            ("origin", "http://127.0.0.1:8080"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
        ] {
            assert_eq!(of(&[TOKEN, bad], Peer::OwnUser), Some(403), "{bad:?}");
        }
        assert_eq!(of(&[TOKEN, ("origin", "http://127.0.0.1:7391")], Peer::OwnUser), None);
    }

    #[test]
    fn only_json_is_sent_and_only_to_the_api() {
        let of = |method, path, pairs: &[_]| status(&method, path, pairs, Peer::OwnUser);
        assert_eq!(of(Method::POST, "/api/answers", &[TOKEN, JSON]), None);
        assert_eq!(of(Method::POST, "/api/answers", &[TOKEN]), Some(415));
        assert_eq!(of(Method::POST, "/api/answers", &[TOKEN, ("content-type", "text/plain")]), Some(415));
        assert_eq!(of(Method::POST, "/", &[JSON]), Some(405));
        assert_eq!(of(Method::DELETE, "/api/answers", &[TOKEN]), Some(405));
        assert_eq!(
            of(Method::OPTIONS, "/api/answers", &[TOKEN]),
            Some(405),
            "no page of another origin is let in"
        );
    }
}
