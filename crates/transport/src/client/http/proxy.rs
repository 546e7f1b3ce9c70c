//! Chooses the proxy for a server, from the usual environment variables. The caller reads them;
//! this module does not access the environment.
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use hyper::Uri;
use hyper::header::HeaderValue;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};

/// The proxies that a user has set. The default is no proxy.
#[derive(Clone, Default)]
pub struct Proxies(Option<Arc<Matcher>>);

/// The route to one server.
pub(super) enum Route {
    Direct,
    /// Requests go to an HTTP proxy, which forwards them (`http` targets).
    Forward {
        proxy: Uri,
        authorization: Option<HeaderValue>,
    },
    /// An HTTP proxy opens a tunnel for us (`https` targets).
    Tunnel(Tunnel<HttpConnector>),
    Socks(SocksV5<HttpConnector>),
}

/// A proxy that can't be used.
#[derive(Debug, thiserror::Error)]
#[error(
    "the proxy `{0}://` in the environment is not supported; use `http://` or `socks5://`, or name the server in `NO_PROXY`"
)]
pub(super) struct UnsupportedProxy(String);

// === impl Proxies ===

impl Proxies {
    /// Reads `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`; lower-case names take
    /// precedence. `variable` returns the value of a variable.
    pub fn from_variables<'a>(variable: impl Fn(&str) -> Option<&'a str>) -> Self {
        let value = |lower: &str| -> String {
            let value = variable(lower).or_else(|| variable(&lower.to_ascii_uppercase()));
            value.unwrap_or_default().trim().to_owned()
        };
        let (http, https, all) = (value("http_proxy"), value("https_proxy"), value("all_proxy"));
        if [&http, &https, &all].into_iter().all(String::is_empty) {
            return Self::default();
        }
        let matcher = Matcher::builder().http(http).https(https).all(all).no(value("no_proxy")).build();
        Self(Some(Arc::new(matcher)))
    }

    /// The route to `target`. A server on this machine is never reached through a proxy.
    pub(super) fn route(&self, target: &Uri, connector: &HttpConnector) -> Result<Route, UnsupportedProxy> {
        let proxy = self.0.as_ref().filter(|_| !is_loopback(target)).and_then(|all| all.intercept(target));
        let Some(proxy) = proxy else { return Ok(Route::Direct) };
        let is_tls = target.scheme_str() == Some("https");
        match proxy.uri().scheme_str() {
            Some("http") if is_tls => Ok(Route::Tunnel(tunnel(&proxy, connector))),
            Some("http") => Ok(Route::Forward {
                proxy: proxy.uri().clone(),
                authorization: proxy.basic_auth().cloned().map(sensitive),
            }),
            Some(scheme @ ("socks5" | "socks5h")) => {
                Ok(Route::Socks(socks(&proxy, connector, scheme == "socks5")))
            }
            scheme => Err(UnsupportedProxy(scheme.unwrap_or_default().to_owned())),
        }
    }
}

impl fmt::Debug for Proxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A proxy's URL may contain a password.
        f.debug_tuple("Proxies").field(&self.0.is_some()).finish()
    }
}

fn tunnel(proxy: &Intercept, connector: &HttpConnector) -> Tunnel<HttpConnector> {
    let tunnel = Tunnel::new(proxy.uri().clone(), connector.clone());
    match proxy.basic_auth() {
        Some(authorization) => tunnel.with_auth(authorization.clone()),
        None => tunnel,
    }
}

fn socks(proxy: &Intercept, connector: &HttpConnector, local_dns: bool) -> SocksV5<HttpConnector> {
    let socks = SocksV5::new(proxy.uri().clone(), connector.clone()).local_dns(local_dns);
    match proxy.raw_auth() {
        Some((user, password)) => socks.with_auth(user.to_owned(), password.to_owned()),
        None => socks,
    }
}

fn sensitive(mut value: HeaderValue) -> HeaderValue {
    value.set_sensitive(true);
    value
}

fn is_loopback(target: &Uri) -> bool {
    let host = target.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let host = host.trim_end_matches('.');
    match host.parse::<IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => {
            let name = host.to_ascii_lowercase();
            name == "localhost" || name.ends_with(".localhost")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(variables: &[(&str, &str)], target: &str) -> &'static str {
        let variable =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        let proxies = Proxies::from_variables(variable);
        match proxies.route(&target.parse().unwrap(), &HttpConnector::new()) {
            Ok(Route::Direct) => "direct",
            Ok(Route::Forward { authorization: None, .. }) => "forward",
            Ok(Route::Forward { authorization: Some(_), .. }) => "forward with password",
            Ok(Route::Tunnel(_)) => "tunnel",
            Ok(Route::Socks(_)) => "socks",
            Err(_) => "unsupported",
        }
    }

    #[test]
    fn g_50_proxies_are_taken_from_the_usual_variables() {
        let both = [("HTTPS_PROXY", "http://p:1"), ("http_proxy", "http://u:pw@p:2")];
        for (variables, target, expected) in [
            (&[][..], "https://example.com/mcp", "direct"),
            (&both, "https://example.com/mcp", "tunnel"),
            (&both, "http://example.com/mcp", "forward with password"),
            (&[("HTTP_PROXY", "p:1")], "http://example.com/", "forward"),
            (&[("HTTPS_PROXY", "http://p:1")], "http://example.com/", "direct"),
            (&[("ALL_PROXY", "socks5h://p:1")], "http://example.com/", "socks"),
            (
                &[("all_proxy", "http://p:1"), ("NO_PROXY", "example.com,10.0.0.0/8")],
                "https://a.example.com/",
                "direct",
            ),
            (
                &[("all_proxy", "http://p:1"), ("NO_PROXY", "example.com,10.0.0.0/8")],
                "https://10.1.2.3/",
                "direct",
            ),
            (&[("all_proxy", "http://p:1"), ("NO_PROXY", "example.com")], "https://example.org/", "tunnel"),
            (&[("ALL_PROXY", "https://p:1")], "https://example.com/", "unsupported"),
            (&[("ALL_PROXY", "")], "https://example.com/", "direct"),
        ] {
            assert_eq!(way(variables, target), expected, "{variables:?} {target}");
        }
    }

    #[test]
    fn g_50_a_server_on_this_machine_needs_no_proxy() {
        for target in ["http://localhost:1/", "http://127.0.0.1/", "https://[::1]:2/", "http://a.localhost./"]
        {
            assert_eq!(way(&[("ALL_PROXY", "http://p:1")], target), "direct", "{target}");
        }
    }
}
