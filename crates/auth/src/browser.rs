//! Shows a person the page of an authorization server, and checks which addresses may be shown
//! (UP-16).
use std::fmt;
use std::sync::Arc;

use overt_wire::BoxFuture;
use url::Url;

use super::error::AuthError;
use super::guard::Rule;

/// Shows an address to a person. The address is `https`, or `http` on this machine, and has only
/// printable ASCII characters. It is passed to a program as one argument, never through a shell.
pub trait Browser: Send + Sync {
    /// Opens or prints the address. The error says why neither was possible.
    fn show<'a>(&'a self, address: &'a str) -> BoxFuture<'a, Result<(), String>>;
}

/// Whether a person can be asked for consent.
#[derive(Clone)]
pub enum Consent {
    /// No person can be asked; only existing tokens are used and renewed.
    Never,
    /// A person is asked in a browser.
    Ask(Arc<dyn Browser>),
}

/// Checks the address of an authorization page before it reaches a browser.
pub(super) fn page(rule: &Rule, address: &str) -> Result<Url, AuthError> {
    let no_address = || AuthError::Page(super::guard::AddressError::NoAddress("…".into()));
    let url = Url::parse(address).map_err(|_| no_address())?;
    rule.check_url(&url).map_err(AuthError::Page)?;
    // The parser percent-encodes other characters. `Browser` promises its implementors that there
    // are none.
    if !url.as_str().bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(no_address());
    }
    Ok(url)
}

impl fmt::Debug for Consent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Never => "Never",
            Self::Ask(_) => "Ask",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::PrivateAddresses;

    fn rule(upstream: &str) -> Rule {
        Rule::new(Url::parse(upstream).unwrap(), PrivateAddresses::Refuse)
    }

    #[test]
    fn up_16_only_web_pages_are_shown() {
        let rule = rule("https://mcp.example.com/mcp");
        for address in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "data:text/html,x",
            "vscode://x",
            "-e /bin/sh",
            "$(touch x)",
            "http://auth.example.com/",
            "http://127.0.0.1:631/",
            "https://127.0.0.1/",
            "https://user:pw@auth.example.com/",
            "about:blank",
            "",
        ] {
            assert!(matches!(page(&rule, address), Err(AuthError::Page(_))), "{address}");
        }
        let odd = page(&rule, "https://auth.example.com/a?x=$(touch x);`id`\r\n\"&\u{202e}|é").unwrap();
        assert!(odd.as_str().bytes().all(|byte| byte.is_ascii_graphic()), "{odd}");
    }

    #[test]
    fn up_16_plain_http_is_for_this_machine() {
        let rule = rule("http://127.0.0.1:3000/mcp");
        assert!(page(&rule, "http://localhost:9000/authorize").is_ok());
        assert!(page(&rule, "http://auth.example.com/authorize").is_err());
        assert!(page(&rule, "javascript:alert(1)").is_err());
    }
}
