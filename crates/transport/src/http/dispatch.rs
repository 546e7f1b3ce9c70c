//! Dispatches one HTTP request, usually to the MCP endpoint: checks whether it is allowed and
//! chooses the era that answers it.
use hyper::body::Incoming;
use hyper::header::{ALLOW, HeaderValue};
use hyper::{Method as HttpMethod, Request, Response, StatusCode};
use overt_wire::Principal;
use overt_wire::error::ErrorObject;

use super::access::{self, Peer};
use super::body::Body;
use super::cors::{allow_origin, preflight};
use super::endpoint::Endpoint;
use super::request_headers::{EVENT_STREAM, JSON, accepts, header_bytes, is_json, is_modern};
use super::response::{error_response, status};
use super::session::ConnectionSession;
use super::{documents, legacy, modern};

impl Endpoint {
    /// Answers one HTTP request. `connection` has the session for clients that keep none
    /// themselves; `peer` is the owner of the client's program.
    pub(super) async fn answer(
        &self,
        request: Request<Incoming>,
        connection: &ConnectionSession,
        peer: Peer,
    ) -> Response<Body> {
        if header_bytes(&request) > self.limits.max_header_bytes {
            return status(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
        }
        if request.uri().path() != self.path {
            return documents::answer(self, &request).await;
        }
        if let Err(away) = self.guard.check(request.uri(), request.headers()) {
            return away.response();
        }
        let origin =
            self.guard.origin(request.headers()).and_then(|origin| HeaderValue::from_str(origin).ok());
        // A browser sends the preflight request without a token.
        let mut response = match *request.method() == HttpMethod::OPTIONS {
            true => self.preflight(&request),
            false => match access::authenticate(peer, &*self.tokens, request.headers()).await {
                Ok(principal) => self.route(request, principal, connection).await,
                Err(refused) => *refused,
            },
        };
        if let Some(origin) = origin {
            allow_origin(response.headers_mut(), origin);
        }
        response.body_mut().charge_to(&self.bytes);
        response
    }

    fn preflight(&self, request: &Request<Incoming>) -> Response<Body> {
        match self.guard.origin(request.headers()) {
            Some(_) => preflight(request.headers()),
            None => method_not_allowed(),
        }
    }

    async fn route(
        &self,
        request: Request<Incoming>,
        principal: Principal,
        connection: &ConnectionSession,
    ) -> Response<Body> {
        match *request.method() {
            HttpMethod::POST => self.post(request, principal, connection).await,
            HttpMethod::GET => legacy::get(self, &principal, request.headers()),
            HttpMethod::DELETE => legacy::delete(self, &principal, request.headers()),
            _ => method_not_allowed(),
        }
    }

    async fn post(
        &self,
        request: Request<Incoming>,
        principal: Principal,
        connection: &ConnectionSession,
    ) -> Response<Body> {
        let (head, body) = request.into_parts();
        let headers = &head.headers;
        if !is_json(headers) {
            let error = ErrorObject::invalid_request("`Content-Type` must be `application/json`");
            return error_response(StatusCode::UNSUPPORTED_MEDIA_TYPE, None, &error);
        }
        if !(accepts(headers, JSON) && accepts(headers, EVENT_STREAM)) {
            let error = ErrorObject::invalid_request(
                "`Accept` must allow both `application/json` and `text/event-stream`",
            );
            return error_response(StatusCode::NOT_ACCEPTABLE, None, &error);
        }
        let received = match self.receive(body).await {
            Ok(received) => received,
            Err(response) => return *response,
        };
        if is_modern(headers, &received.message) {
            modern::post(self, headers, received, &connection.of(principal)).await
        } else {
            legacy::post(self, headers, received, principal).await
        }
    }
}

fn method_not_allowed() -> Response<Body> {
    let mut response = status(StatusCode::METHOD_NOT_ALLOWED);
    response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST, GET, DELETE"));
    response
}
