//! Both servers at one address of this machine.
use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::issuer::{Issuer, Terms};
use super::resource::{self, BASIC};
use super::web::{Request, Response, serve};

/// Differences from the default behaviour that a test wants.
#[derive(Debug, Clone)]
pub struct Habits {
    /// How long an access token is valid, as clients are told.
    pub token_seconds: u64,
    pub refreshable: bool,
    /// Registered clients get a secret.
    pub client_secret: bool,
    /// Replaces members of the metadata of the protected resource.
    pub resource_metadata: Value,
    /// Replaces members of the metadata of the authorization server.
    pub server_metadata: Value,
    /// If set, the token endpoint redirects to this address.
    pub token_redirect: Option<String>,
    /// If set, the token endpoint answers with this error and repeats what was sent.
    pub token_error: Option<&'static str>,
    /// If set, tokens get only this scope, whatever was requested.
    pub grants_only: Option<String>,
}

/// A protected server and its authorization server.
#[derive(Debug)]
pub struct World {
    /// The MCP endpoint.
    pub url: String,
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    origin: String,
    habits: Habits,
    issuer: Issuer,
    requests: Vec<Request>,
}

/// Id and secret of a client that is registered from the start.
pub(super) const KNOWN: (&str, &str) = ("known-client", "s3cret-of-the-known-client");

impl Default for Habits {
    fn default() -> Self {
        Self {
            token_seconds: 3600,
            refreshable: true,
            client_secret: false,
            resource_metadata: json!({}),
            server_metadata: json!({}),
            token_redirect: None,
            token_error: None,
            grants_only: None,
        }
    }
}

impl World {
    /// # Panics
    /// If this machine has no free port.
    #[must_use]
    pub fn start(habits: Habits) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let origin = format!("http://{}", listener.local_addr().expect("an address"));
        let mut issuer = Issuer::default();
        issuer.know(KNOWN.0, KNOWN.1);
        let state = State { origin: origin.clone(), habits, issuer, requests: Vec::new() };
        let state = Arc::new(Mutex::new(state));
        let shared = Arc::clone(&state);
        serve(listener, move |request| shared.lock().unwrap_or_else(PoisonError::into_inner).answer(request));
        Self { url: format!("{origin}/mcp"), state }
    }

    /// Returns the id and the secret of a client that is registered from the start.
    #[must_use]
    pub fn known_client() -> (&'static str, &'static str) {
        KNOWN
    }

    /// Returns all requests so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.lock().requests.clone()
    }

    /// Returns how often a path was requested.
    #[must_use]
    pub fn count(&self, path: &str) -> usize {
        self.lock().requests.iter().filter(|request| request.path == path).count()
    }

    /// Returns every code, token and secret that was issued.
    #[must_use]
    pub fn secrets(&self) -> Vec<String> {
        self.lock().issuer.secrets.clone()
    }

    /// Issues a token with these scopes, without a login.
    #[must_use]
    pub fn issue(&self, scope: &str) -> String {
        self.lock().issuer.issue_access(scope)
    }

    /// Revokes all access tokens that were issued.
    pub fn revoke_access(&self) {
        self.lock().issuer.access.clear();
    }

    /// Revokes all access tokens and refresh tokens that were issued.
    pub fn revoke_all(&self) {
        let mut state = self.lock();
        state.issuer.access.clear();
        state.issuer.forget_refresh();
    }

    /// Changes the habits from now on.
    pub fn change(&self, change: impl FnOnce(&mut Habits)) {
        change(&mut self.lock().habits);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn answer(&mut self, request: &Request) -> Response {
        self.requests.push(request.clone());
        let origin = self.origin.clone();
        let resource = format!("{origin}/mcp");
        let metadata_url = format!("{origin}/.well-known/oauth-protected-resource/mcp");
        let terms = Terms {
            seconds: self.habits.token_seconds,
            refreshable: self.habits.refreshable,
            error: self.habits.token_error,
            only: self.habits.grants_only.clone(),
        };
        match (request.method.as_str(), request.path.as_str()) {
            ("POST", "/mcp") => resource::answer(request, &self.issuer, &metadata_url),
            ("GET", "/.well-known/oauth-protected-resource/mcp") => Response::json(
                200,
                &with(
                    json!({
                        "resource": resource,
                        "authorization_servers": [origin],
                        "scopes_supported": [BASIC],
                    }),
                    &self.habits.resource_metadata,
                ),
            ),
            ("GET", "/.well-known/oauth-authorization-server") => Response::json(
                200,
                &with(
                    json!({
                        "issuer": origin,
                        "authorization_endpoint": format!("{origin}/authorize"),
                        "token_endpoint": format!("{origin}/token"),
                        "registration_endpoint": format!("{origin}/register"),
                        "response_types_supported": ["code"],
                        "code_challenge_methods_supported": ["S256"],
                        "authorization_response_iss_parameter_supported": true,
                    }),
                    &self.habits.server_metadata,
                ),
            ),
            ("POST", "/register") => self.issuer.register(request, self.habits.client_secret),
            ("GET", "/authorize") => self.issuer.authorize(request, &origin),
            ("POST", "/token") => match &self.habits.token_redirect {
                Some(location) => Response::status(307).with("Location", location),
                None => self.issuer.token(request, &terms, &resource),
            },
            ("GET", "/mcp") => Response::status(405),
            _ => Response::status(404),
        }
    }
}

/// Replaces members. Null removes a member.
fn with(mut metadata: Value, changes: &Value) -> Value {
    if let (Some(metadata), Some(changes)) = (metadata.as_object_mut(), changes.as_object()) {
        for (name, value) in changes {
            match value {
                Value::Null => drop(metadata.remove(name)),
                value => drop(metadata.insert(name.clone(), value.clone())),
            }
        }
    }
    metadata
}
