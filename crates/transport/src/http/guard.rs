//! Checks the `Host` that a request was sent to and the `Origin` of the page that sent it. Without
//! these checks, any web page could reach a server on this machine by DNS rebinding (HTTP-02,
//! HTTP-03).
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use hyper::header::{HOST, ORIGIN};
use hyper::{HeaderMap, StatusCode, Uri};

/// The allowed hosts and origins.
#[derive(Debug, Clone)]
pub struct Guard {
    /// `host` or `host:port`, in lower case.
    hosts: Vec<String>,
    /// Complete origins in lower case: `https://example.com`.
    origins: Vec<String>,
    /// Whether every IP address is allowed as a host. DNS rebinding works with names only.
    any_address: bool,
}

/// The reason for which a request was refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct GuardRefusal {
    pub(super) status: StatusCode,
    pub(super) reason: &'static str,
}

impl Guard {
    /// Allows the local names of `address`, and the hosts and origins of the lists.
    pub fn new(address: SocketAddr, more_hosts: &[String], more_origins: &[String]) -> Self {
        let port = address.port();
        let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()];
        if !address.ip().is_unspecified() {
            names.push(match address {
                SocketAddr::V4(address) => address.ip().to_string(),
                SocketAddr::V6(address) => format!("[{}]", address.ip()),
            });
        }
        let mut hosts: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
        if port == 80 {
            hosts.extend(names);
        }
        let mut origins: Vec<String> = hosts.iter().map(|host| format!("http://{host}")).collect();
        hosts.extend(more_hosts.iter().map(|host| host.to_ascii_lowercase()));
        origins.extend(more_origins.iter().map(|origin| origin.to_ascii_lowercase()));
        Self { hosts, origins, any_address: false }
    }

    /// Also allows every host that is an IP address instead of a name.
    pub(super) fn with_any_address(self) -> Self {
        Self { any_address: true, ..self }
    }

    pub(super) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), GuardRefusal> {
        self.check_host(uri, headers)?;
        if headers.contains_key(ORIGIN) && self.origin(headers).is_none() {
            return Err(GuardRefusal {
                status: StatusCode::FORBIDDEN,
                reason: "pages of that `Origin` may not use this server",
            });
        }
        Ok(())
    }

    /// Checks only the host, for resources that every page may read. Returns the host.
    pub(super) fn check_host<'a>(&self, uri: &Uri, headers: &'a HeaderMap) -> Result<&'a str, GuardRefusal> {
        let host = only(headers, HOST.as_str()).ok_or(GuardRefusal {
            status: StatusCode::BAD_REQUEST,
            reason: "exactly one `Host` header is needed",
        })?;
        let known = self.hosts.iter().any(|known| host.eq_ignore_ascii_case(known));
        if !(known || self.any_address && is_address(host)) {
            return Err(GuardRefusal {
                status: StatusCode::FORBIDDEN,
                reason: "this server does not answer to that `Host`",
            });
        }
        if uri.authority().is_some_and(|authority| !authority.as_str().eq_ignore_ascii_case(host)) {
            return Err(GuardRefusal {
                status: StatusCode::BAD_REQUEST,
                reason: "the request line and the `Host` header name different hosts",
            });
        }
        Ok(host)
    }

    /// The origin of the requesting page, if it is allowed.
    pub(super) fn origin<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let origin = only(headers, ORIGIN.as_str())?;
        self.origins.iter().any(|known| origin.eq_ignore_ascii_case(known)).then_some(origin)
    }
}

/// Whether a host is an IP address, with or without a port.
fn is_address(host: &str) -> bool {
    let inside = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    host.parse::<SocketAddr>().is_ok()
        || host.parse::<Ipv4Addr>().is_ok()
        || inside.is_some_and(|host| host.parse::<Ipv6Addr>().is_ok())
}

fn only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    (values.next().is_none() && !value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn verdict(host: &[&str], origin: &[&str]) -> Option<u16> {
        let guard = Guard::new(
            "127.0.0.1:8080".parse().unwrap(),
            &["mcp.example.com".into()],
            &["https://app.example.com".into()],
        );
        let mut headers = HeaderMap::new();
        for value in host {
            headers.append(HOST, HeaderValue::from_str(value).unwrap());
        }
        for value in origin {
            headers.append(ORIGIN, HeaderValue::from_str(value).unwrap());
        }
        guard.check(&Uri::from_static("/mcp"), &headers).err().map(|away| away.status.as_u16())
    }

    #[test]
    fn http_02_only_known_hosts_pass() {
        for good in ["127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080", "[::1]:8080", "mcp.example.com"] {
            assert_eq!(verdict(&[good], &[]), None, "{good}");
        }
        for bad in [
            "evil.com",
            "evil.com:8080",
            "127.0.0.1.evil.com",
            "localhost.evil.com:8080",
            "localhost:8081",
            "localhost",
            "0.0.0.0:8080",
            "localhost.:8080",
            "mcp.example.com:8080",
            "user@localhost:8080",
        ] {
            assert_eq!(verdict(&[bad], &[]), Some(403), "{bad}");
        }
        assert_eq!(verdict(&[], &[]), Some(400));
        assert_eq!(verdict(&[""], &[]), Some(400));
        assert_eq!(verdict(&["localhost:8080", "localhost:8080"], &[]), Some(400));
    }

    #[test]
    fn http_16_where_everybody_may_connect_addresses_pass_and_names_do_not() {
        let guard = Guard::new("0.0.0.0:9090".parse().unwrap(), &["status.example.com".into()], &[]);
        let guard = guard.with_any_address();
        let passes = |host: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, HeaderValue::from_str(host).unwrap());
            guard.check(&Uri::from_static("/metrics"), &headers).is_ok()
        };
        for good in ["10.1.2.3:9090", "10.1.2.3", "[fd00::1]:9090", "[fd00::1]", "status.example.com"] {
            assert!(passes(good), "{good}");
        }
        for bad in ["evil.com", "10.1.2.3.evil.com", "evil.com:9090", "[evil.com]", "fd00::1", "10.1.2.3:x"] {
            assert!(!passes(bad), "{bad}");
        }
    }

    #[test]
    fn http_02_absolute_request_line_must_agree() {
        let guard = Guard::new("127.0.0.1:8080".parse().unwrap(), &[], &[]);
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static("localhost:8080"));
        let away = guard.check(&Uri::from_static("http://evil.com/mcp"), &headers).unwrap_err();
        assert_eq!(away.status, StatusCode::BAD_REQUEST);
    }

    #[test]
    fn http_03_only_known_origins_pass() {
        let host = &["localhost:8080"];
        for good in ["http://localhost:8080", "http://127.0.0.1:8080", "https://app.example.com"] {
            assert_eq!(verdict(host, &[good]), None, "{good}");
        }
        for bad in [
            "http://evil.com",
            "null",
            "file://",
            "chrome-extension://x",
            "https://localhost.evil.com",
            "http://localhost:9999",
            "https://localhost:8080",
            "",
        ] {
            assert_eq!(verdict(host, &[bad]), Some(403), "{bad}");
        }
        assert_eq!(verdict(host, &["http://localhost:8080", "http://evil.com"]), Some(403));
    }
}
