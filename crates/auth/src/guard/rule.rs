//! Decides where the requests of an authorization may go. Pure: names are resolved elsewhere.
//!
//! The address of the server that a user typed is trusted. Addresses that this server names are
//! not: it must not send our token requests to hosts that only we can reach (UP-15).
use std::net::IpAddr;

use url::{Host, Url};

use super::address::{Class, class};

/// Whether an authorization server may be in a private network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PrivateAddresses {
    #[default]
    Refuse,
    Allow,
}

/// The rule for one server.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    upstream: Url,
    private: PrivateAddresses,
}

/// Why an address that the server named is not used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    #[error("`{0}` is not an address")]
    NoAddress(String),
    #[error("`{0}` is not `https`")]
    Scheme(String),
    #[error("`{0}` carries a user name or a password")]
    User(String),
    #[error("`{origin}` is at {ip}, which is not a public address")]
    Private { origin: String, ip: IpAddr },
}

impl Rule {
    pub(crate) fn new(upstream: Url, private: PrivateAddresses) -> Self {
        Self { upstream, private }
    }

    /// Checks everything that is visible without resolving a name: scheme, user, literal addresses.
    /// The URL parser has already normalized every spelling of an IPv4 address (`2130706433`,
    /// `0x7f000001`, `127.1`).
    pub(crate) fn check_url(&self, url: &Url) -> Result<(), AddressError> {
        let host = url.host().ok_or_else(|| AddressError::NoAddress(origin(url)))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(AddressError::User(origin(url)));
        }
        let plain = self.is_own_origin(url)
            || (self.upstream.scheme() == "http" && self.is_own_literal(url))
            || (self.upstream_is_loopback() && is_loopback(&host));
        if url.scheme() != "https" && !(url.scheme() == "http" && plain) {
            return Err(AddressError::Scheme(origin(url)));
        }
        match literal(&host) {
            Some(ip) => self.check_address(url, ip),
            None if is_loopback(&host) => self.check_address(url, IpAddr::from([127, 0, 0, 1])),
            None => Ok(()),
        }
    }

    /// Checks an address that the URL's host was resolved to.
    pub(crate) fn check_address(&self, url: &Url, ip: IpAddr) -> Result<(), AddressError> {
        let own = self.is_own_origin(url) || self.is_own_literal(url);
        let allowed = match class(ip) {
            Class::Public => true,
            Class::Loopback => own || self.upstream_is_loopback(),
            Class::Private => own || self.private == PrivateAddresses::Allow,
            Class::Never => self.is_own_literal(url),
        };
        if allowed { Ok(()) } else { Err(AddressError::Private { origin: origin(url), ip }) }
    }

    /// Whether the URL has the origin that the user typed, which we connect to anyway.
    fn is_own_origin(&self, url: &Url) -> bool {
        url.origin() == self.upstream.origin()
    }

    /// Whether the URL has the IP address that the user typed as a number, on any port.
    fn is_own_literal(&self, url: &Url) -> bool {
        let typed = self.upstream.host().and_then(|host| literal(&host));
        typed.is_some() && typed == url.host().and_then(|host| literal(&host))
    }

    fn upstream_is_loopback(&self) -> bool {
        self.upstream.host().is_some_and(|host| is_loopback(&host))
    }
}

fn literal(host: &Host<&str>) -> Option<IpAddr> {
    match host {
        Host::Ipv4(ip) => Some(IpAddr::V4(*ip)),
        Host::Ipv6(ip) => Some(IpAddr::V6(*ip)),
        Host::Domain(_) => None,
    }
}

/// Whether a host is this machine: a loopback address, or a name that always means it.
fn is_loopback(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            name == "localhost" || name.ends_with(".localhost")
        }
        host => literal(host).is_some_and(|ip| class(ip) == Class::Loopback),
    }
}

/// Returns the part of an address that may be shown.
fn origin(url: &Url) -> String {
    match url.host_str() {
        Some(_) => url.origin().ascii_serialization(),
        None => format!("{}:…", url.scheme()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(upstream: &str, private: PrivateAddresses, url: &str) -> Result<(), AddressError> {
        Rule::new(Url::parse(upstream).unwrap(), private).check_url(&Url::parse(url).unwrap())
    }

    #[test]
    fn up_15_literal_addresses_in_every_spelling_are_refused() {
        for url in [
            "https://169.254.169.254/latest/meta-data",
            "https://localhost:6379/",
            "https://localhost./",
            "https://x.localhost/",
            "https://[::ffff:127.0.0.1]/",
            "https://0x7f000001/",
            "https://2130706433/",
            "https://127.1/",
            "https://0177.0.0.1/",
            "https://10.0.0.1/",
            "https://[fd12::1]/",
            "https://[fe80::1]/",
            "https://100.64.0.1/",
            "https://0.0.0.0/",
        ] {
            let refused = check("https://mcp.example.com/mcp", PrivateAddresses::Refuse, url);
            assert!(matches!(refused, Err(AddressError::Private { .. })), "{url}: {refused:?}");
        }
    }

    #[test]
    fn up_15_only_https_without_a_user() {
        for url in ["http://auth.example.com/", "ftp://auth.example.com/", "https://a:b@auth.example.com/"] {
            assert!(check("https://mcp.example.com/", PrivateAddresses::Allow, url).is_err(), "{url}");
        }
        assert!(
            check("https://mcp.example.com/", PrivateAddresses::Refuse, "https://auth.example.com/").is_ok()
        );
    }

    #[test]
    fn up_15_what_the_user_typed_is_trusted_to_be_where_it_is() {
        let own = |upstream, url| check(upstream, PrivateAddresses::Refuse, url).is_ok();
        assert!(own("http://127.0.0.1:3000/mcp", "http://localhost:9000/"));
        assert!(own("http://localhost/mcp", "http://[::1]:9000/"));
        assert!(!own("http://127.0.0.1:3000/mcp", "http://10.0.0.1/"));
        assert!(!own("http://127.0.0.1:3000/mcp", "http://example.com/"));
        assert!(own("http://10.0.0.5:3000/mcp", "http://10.0.0.5:9000/"));
        assert!(!own("http://10.0.0.5/mcp", "https://10.0.0.6/"));
        assert!(!own("http://10.0.0.5/mcp", "https://127.0.0.1/"));
        assert!(own("http://mcp.corp/mcp", "http://mcp.corp/token"));
        assert!(!own("http://mcp.corp/mcp", "http://mcp.corp:6379/"));
    }

    #[test]
    fn up_15_a_private_network_can_be_allowed_and_the_rest_never() {
        let allowed = |url| check("https://mcp.example.com/", PrivateAddresses::Allow, url).is_ok();
        assert!(allowed("https://10.0.0.1/") && allowed("https://[fd12::1]/"));
        assert!(!allowed("https://169.254.169.254/") && !allowed("https://127.0.0.1/"));
        assert!(!allowed("http://10.0.0.1/"));
    }
}
