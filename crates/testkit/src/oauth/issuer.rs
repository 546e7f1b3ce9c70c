//! Clients, codes and tokens. Everything is checked as by a strict authorization server.
use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::web::{Request, Response, encode};

#[derive(Debug, Default)]
pub(super) struct Issuer {
    clients: BTreeMap<String, Client>,
    codes: BTreeMap<String, Code>,
    pub(super) access: BTreeMap<String, Access>,
    refresh: BTreeMap<String, Refresh>,
    /// Secrets that must not appear anywhere else.
    pub(super) secrets: Vec<String>,
    next: usize,
}

#[derive(Debug, Clone)]
struct Client {
    secret: Option<String>,
    redirect: Option<String>,
}

#[derive(Debug)]
struct Code {
    client: String,
    redirect: String,
    challenge: String,
    scope: String,
    resource: String,
}

#[derive(Debug)]
pub(super) struct Access {
    pub(super) scope: String,
}

#[derive(Debug)]
struct Refresh {
    client: String,
    scope: String,
    resource: String,
}

/// The terms on which tokens are issued.
#[derive(Debug, Clone)]
pub(super) struct Terms {
    pub(super) seconds: u64,
    pub(super) refreshable: bool,
    pub(super) error: Option<&'static str>,
    pub(super) only: Option<String>,
}

/// The OAuth error code of a failed token request.
type Refusal = &'static str;

impl Issuer {
    /// Adds a client that was registered by hand.
    pub(super) fn know(&mut self, id: &str, secret: &str) {
        self.clients.insert(id.into(), Client { secret: Some(secret.into()), redirect: None });
        self.secrets.push(secret.into());
    }

    pub(super) fn issue_access(&mut self, scope: &str) -> String {
        let access = self.secret("access");
        self.access.insert(access.clone(), Access { scope: scope.into() });
        access
    }

    pub(super) fn forget_refresh(&mut self) {
        self.refresh.clear();
    }

    pub(super) fn register(&mut self, request: &Request, with_secret: bool) -> Response {
        let redirect = request.json()["redirect_uris"][0].as_str().map(str::to_owned);
        let id = self.name("client");
        let secret = with_secret.then(|| self.secret("client-secret"));
        self.clients.insert(id.clone(), Client { secret: secret.clone(), redirect });
        let mut answer = json!({ "client_id": id, "redirect_uris": request.json()["redirect_uris"] });
        if let Some(secret) = secret {
            answer["client_secret"] = secret.into();
        }
        Response::json(201, &answer)
    }

    /// Answers for the page on which a person agrees. This one agrees at once.
    pub(super) fn authorize(&mut self, request: &Request, issuer: &str) -> Response {
        let of = |name: &str| request.query.get(name).cloned().unwrap_or_default();
        let client = self.clients.get(&of("client_id")).cloned();
        let known = client.is_some_and(|client| client.redirect.is_none_or(|uri| uri == of("redirect_uri")));
        if !known || of("code_challenge_method") != "S256" || of("response_type") != "code" {
            return Response::status(400).body("no");
        }
        let code = self.secret("code");
        let (redirect, state) = (of("redirect_uri"), of("state"));
        self.codes.insert(
            code.clone(),
            Code {
                client: of("client_id"),
                redirect: redirect.clone(),
                challenge: of("code_challenge"),
                scope: of("scope"),
                resource: of("resource"),
            },
        );
        let location = format!("{redirect}?code={code}&state={}&iss={}", encode(&state), encode(issuer));
        Response::status(302).with("Location", &location)
    }

    pub(super) fn token(&mut self, request: &Request, terms: &Terms, resource: &str) -> Response {
        match self.issue(request, terms, resource) {
            Ok(tokens) => Response::json(200, &tokens),
            // Repeat what was sent, as a careless server does.
            Err(error) => Response::json(
                400,
                &json!({ "error": error, "error_description": format!("you sent {}", request.body) }),
            ),
        }
    }

    fn issue(&mut self, request: &Request, terms: &Terms, resource: &str) -> Result<Value, Refusal> {
        let form = request.form();
        let of = |name: &str| form.get(name).cloned().unwrap_or_default();
        if let Some(error) = terms.error {
            return Err(error);
        }
        if of("resource") != resource {
            return Err("invalid_target");
        }
        let client = self.client(request, &form)?;
        match of("grant_type").as_str() {
            "authorization_code" => {
                let code = self.codes.remove(&of("code")).ok_or("invalid_grant")?;
                let proof = URL_SAFE_NO_PAD.encode(Sha256::digest(of("code_verifier").as_bytes()));
                let same = code.client == client
                    && code.redirect == of("redirect_uri")
                    && code.challenge == proof
                    && code.resource == resource;
                if !same {
                    return Err("invalid_grant");
                }
                Ok(self.tokens(&client, &code.scope, resource, terms))
            }
            "refresh_token" => {
                // Each refresh token can be used once.
                let refresh = self.refresh.remove(&of("refresh_token")).ok_or("invalid_grant")?;
                if refresh.client != client || refresh.resource != resource {
                    return Err("invalid_grant");
                }
                Ok(self.tokens(&client, &refresh.scope, resource, terms))
            }
            "client_credentials" => {
                let terms = Terms { refreshable: false, ..terms.clone() };
                Ok(self.tokens(&client, &of("scope"), resource, &terms))
            }
            _ => Err("unsupported_grant_type"),
        }
    }

    /// Returns the client that sent a token request, from the form or from basic authentication.
    fn client(&self, request: &Request, form: &BTreeMap<String, String>) -> Result<String, Refusal> {
        let basic = request.header("authorization").and_then(|value| value.strip_prefix("Basic "));
        let basic = basic.and_then(|value| STANDARD.decode(value).ok());
        let basic = basic.and_then(|bytes| String::from_utf8(bytes).ok());
        let (id, secret) = match basic.as_deref().and_then(|text| text.split_once(':')) {
            Some((id, secret)) => (id.to_owned(), Some(secret.to_owned())),
            None => (form.get("client_id").cloned().unwrap_or_default(), form.get("client_secret").cloned()),
        };
        let known = self.clients.get(&id).ok_or("invalid_client")?;
        if known.secret == secret { Ok(id) } else { Err("invalid_client") }
    }

    fn tokens(&mut self, client: &str, scope: &str, resource: &str, terms: &Terms) -> Value {
        let scope = terms.only.as_deref().unwrap_or(scope);
        let access = self.issue_access(scope);
        let mut tokens = json!({
            "access_token": access,
            "token_type": "Bearer",
            "expires_in": terms.seconds,
            "scope": scope,
            "id_token": self.secret("id-token"),
        });
        if terms.refreshable {
            let refresh = self.secret("refresh");
            let (client, scope, resource) = (client.into(), scope.into(), resource.into());
            self.refresh.insert(refresh.clone(), Refresh { client, scope, resource });
            tokens["refresh_token"] = refresh.into();
        }
        tokens
    }

    fn name(&mut self, what: &str) -> String {
        self.next += 1;
        format!("{what}-{}", self.next)
    }

    fn secret(&mut self, what: &str) -> String {
        let name = format!("s3cret-{}", self.name(what));
        self.secrets.push(name.clone());
        name
    }
}
