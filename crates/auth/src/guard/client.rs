//! The HTTP client of the authorization. It connects only to checked addresses, follows no
//! redirects, and limits the size and the time of responses.
use std::collections::HashMap;
use std::error::Error;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use overt_transport::client::Secret;
use overt_transport::tls;
use overt_wire::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Request, Url, redirect};
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientFuture, OAuthHttpRequest};
use tokio::time::timeout;

use super::problem::{Problem, error_code, registered_secret};
use super::rule::Rule;

/// Sends every request of one authorization.
pub(crate) struct Guarded {
    http: reqwest::Client,
    rule: Rule,
    lookup: Arc<dyn Lookup>,
    checked: Arc<CheckedAddresses>,
    last: Mutex<Option<Problem>>,
    registered: Mutex<Option<Secret>>,
}

/// Finds the addresses of a host.
pub(crate) trait Lookup: Send + Sync {
    fn lookup<'a>(&'a self, host: &'a str, port: u16) -> BoxFuture<'a, std::io::Result<Vec<IpAddr>>>;
}

/// Looks up addresses with the system's resolver.
#[derive(Debug)]
pub(crate) struct System;

/// The checked addresses, by host. Connections use only these, so a name whose addresses change
/// between check and connection (DNS rebinding) has no effect.
#[derive(Debug, Default)]
struct CheckedAddresses(Mutex<HashMap<String, Vec<IpAddr>>>);

/// How long one request may take, from the name lookup to the last byte.
const DEADLINE: Duration = Duration::from_secs(20);
const LOOKUP_DEADLINE: Duration = Duration::from_secs(5);
/// The most bytes of a response. Metadata and tokens have a few thousand.
const MAX_BYTES: usize = 256 << 10;
const MAX_HOSTS: usize = 32;

// === impl Guarded ===

impl Guarded {
    pub(crate) fn new(rule: Rule, lookup: Arc<dyn Lookup>) -> Result<Self, Problem> {
        let checked = Arc::new(CheckedAddresses::default());
        let failed = |error: Box<dyn Error + Send + Sync>| Problem::Setup(error.to_string());
        let http = reqwest::Client::builder()
            .user_agent(concat!("overt/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .no_proxy()
            .dns_resolver(Arc::clone(&checked))
            // Don't reuse connections: one that was made for one address must not serve another.
            .pool_max_idle_per_host(0)
            .timeout(DEADLINE)
            .tls_backend_preconfigured(tls::trusting_the_system().map_err(|error| failed(error.into()))?)
            .build()
            .map_err(|error| failed(error.into()))?;
        Ok(Self { http, rule, lookup, checked, last: Mutex::default(), registered: Mutex::default() })
    }

    /// Takes the last problem. Unlike the texts of the calling SDK, it does not quote messages.
    pub(crate) fn take_problem(&self) -> Option<Problem> {
        self.last().take()
    }

    /// Takes the secret that we received at registration. The calling SDK uses it and then forgets
    /// it, but renewing the tokens needs it again.
    pub(crate) fn take_registered(&self) -> Option<Secret> {
        self.registered.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    async fn exchange(&self, request: Request) -> Result<http::Response<Vec<u8>>, Problem> {
        self.admit(request.url()).await?;
        let broken = |error: reqwest::Error| Problem::broken(&error.without_url());
        let mut response = self.http.execute(request).await.map_err(broken)?;
        let mut parts = http::Response::builder().status(response.status());
        for (name, value) in response.headers() {
            parts = parts.header(name, value);
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(broken)? {
            if body.len() + chunk.len() > MAX_BYTES {
                return Err(Problem::TooLarge(MAX_BYTES));
            }
            body.extend_from_slice(&chunk);
        }
        parts.body(body).map_err(|error| Problem::broken(&error))
    }

    /// Resolves the host and checks each of its addresses against the rule.
    async fn admit(&self, url: &Url) -> Result<(), Problem> {
        self.rule.check_url(url)?;
        let Some(url::Host::Domain(host)) = url.host() else { return Ok(()) };
        let port = url.port_or_known_default().unwrap_or(443);
        let unknown = || Problem::Unknown(host.to_owned());
        let found = timeout(LOOKUP_DEADLINE, self.lookup.lookup(host, port)).await.map_err(|_| unknown())?;
        let addresses = found.map_err(|_| unknown())?;
        if addresses.is_empty() {
            return Err(unknown());
        }
        for ip in &addresses {
            self.rule.check_address(url, *ip)?;
        }
        let mut checked = self.checked.lock();
        if checked.len() >= MAX_HOSTS {
            checked.clear();
        }
        checked.insert(host.to_ascii_lowercase(), addresses);
        Ok(())
    }

    fn note(&self, problem: &Problem) {
        *self.last() = Some(problem.clone());
    }

    fn last(&self) -> MutexGuard<'_, Option<Problem>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OAuthHttpClient for Guarded {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            *self.last() = None;
            let outcome = match Request::try_from(request.request) {
                Ok(request) => {
                    timeout(DEADLINE, self.exchange(request)).await.unwrap_or(Err(Problem::Slow(DEADLINE)))
                }
                Err(error) => Err(Problem::broken(&error.without_url())),
            };
            match &outcome {
                Err(problem) => self.note(problem),
                Ok(response) if !response.status().is_success() => self.note(&Problem::Status {
                    status: response.status().as_u16(),
                    error: error_code(response.body()),
                }),
                Ok(response) => {
                    if let Some(secret) = registered_secret(response.body()) {
                        *self.registered.lock().unwrap_or_else(PoisonError::into_inner) = Some(secret);
                    }
                }
            }
            outcome.map_err(Into::into)
        })
    }
}

// === impl CheckedAddresses ===

impl CheckedAddresses {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Vec<IpAddr>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Resolve for CheckedAddresses {
    fn resolve(&self, name: Name) -> Resolving {
        let found = self.lock().get(&name.as_str().to_ascii_lowercase()).cloned();
        Box::pin(async move {
            let addresses = found.ok_or("the address of this host was not checked")?;
            // The connector sets the port.
            let addresses: Addrs = Box::new(addresses.into_iter().map(|ip| SocketAddr::new(ip, 0)));
            Ok(addresses)
        })
    }
}

impl Lookup for System {
    fn lookup<'a>(&'a self, host: &'a str, port: u16) -> BoxFuture<'a, std::io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            Ok(tokio::net::lookup_host((host, port)).await?.map(|address| address.ip()).collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use super::super::rule::{AddressError, PrivateAddresses};
    use super::*;

    /// A name service with a sequence of answers. The last one is repeated.
    struct Names(Mutex<Vec<Vec<IpAddr>>>);

    impl Names {
        fn saying(answers: &[&str]) -> Arc<Self> {
            let answers = answers.iter().map(|answer| {
                let ips = answer.split_whitespace();
                ips.map(|ip| ip.parse().unwrap()).collect()
            });
            Arc::new(Self(Mutex::new(answers.collect())))
        }
    }

    impl Lookup for Names {
        fn lookup<'a>(&'a self, _: &'a str, _: u16) -> BoxFuture<'a, std::io::Result<Vec<IpAddr>>> {
            let mut answers = self.0.lock().unwrap();
            let answer = if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() };
            Box::pin(async { Ok(answer) })
        }
    }

    fn client(upstream: &str, private: PrivateAddresses, names: Arc<Names>) -> Guarded {
        Guarded::new(Rule::new(Url::parse(upstream).unwrap(), private), names).unwrap()
    }

    async fn get(client: &Guarded, url: &str) -> Result<http::Response<Vec<u8>>, Problem> {
        client.exchange(Request::new(reqwest::Method::GET, Url::parse(url).unwrap())).await
    }

    /// Answers every request in the same way. Returns the port.
    fn serve(response: &'static str) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(response.as_bytes());
            }
        });
        port
    }

    #[tokio::test]
    async fn up_15_a_name_is_judged_by_its_addresses() {
        for addresses in [
            "127.0.0.1",
            "10.0.0.1",
            "169.254.169.254",
            "::1",
            "fd12::1",
            "::ffff:192.168.0.1",
            "100.64.1.1",
            // One bad address among good ones is enough.
            "1.1.1.1 10.0.0.1",
        ] {
            let names = Names::saying(&[addresses]);
            let client = client("https://mcp.example.com/mcp", PrivateAddresses::Refuse, names);
            let outcome = get(&client, "https://auth.example.com/token").await;
            let refused = matches!(&outcome, Err(Problem::Address(AddressError::Private { .. })));
            assert!(refused, "{addresses}: {outcome:?}");
        }
        let nobody = client("https://mcp.example.com/mcp", PrivateAddresses::Refuse, Names::saying(&[""]));
        let outcome = get(&nobody, "https://auth.example.com/token").await;
        assert!(matches!(outcome, Err(Problem::Unknown(_))), "{outcome:?}");
    }

    #[tokio::test]
    async fn up_15_the_connection_goes_where_the_check_looked() {
        let port = serve("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
        // The connector would get the second answer from a rebinding name.
        let names = Names::saying(&["127.0.0.1", "169.254.169.254"]);
        let upstream = format!("http://mcp.example.com:{port}/mcp");
        let client = client(&upstream, PrivateAddresses::Refuse, names);
        let answer = get(&client, &upstream).await.unwrap();
        assert_eq!(answer.body(), b"hi");
        let outcome = get(&client, &upstream).await;
        assert!(matches!(outcome, Err(Problem::Address(_))), "{outcome:?}");
    }

    #[tokio::test]
    async fn up_15_a_redirect_is_an_answer_and_not_a_way() {
        let other = TcpListener::bind("127.0.0.1:0").unwrap();
        other.set_nonblocking(true).unwrap();
        let location = format!("http://{}/", other.local_addr().unwrap());
        let text = format!("HTTP/1.1 307 X\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
        let port = serve(text.leak());
        let upstream = format!("http://127.0.0.1:{port}/mcp");
        let client = client(&upstream, PrivateAddresses::Refuse, Names::saying(&["127.0.0.1"]));
        assert_eq!(get(&client, &upstream).await.unwrap().status(), 307);
        assert!(other.accept().is_err(), "nobody came");
    }
}
