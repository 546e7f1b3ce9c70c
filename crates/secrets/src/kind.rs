//! The kinds of secrets that a document must not contain.
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A key of the service with this name.
    ServiceKey(&'static str),
    /// A JSON Web Token.
    Jwt,
    /// The credential after `Bearer` or `Basic`.
    Header,
    PrivateKey,
    /// The part of a URL before its `@`.
    UserInfo,
    /// A value in the query of a URL.
    Query,
    /// A value that is assigned to a name in a text: `API_KEY=…`.
    Assignment,
    /// The value of a member whose name means a credential.
    Member,
    /// An address or a host of a private network.
    Internal,
}

impl Kind {
    /// Returns advice on how to fix a finding.
    pub fn fix(self) -> &'static str {
        match self {
            Self::Internal => "remove it, or use a public address or `example.com`",
            Self::UserInfo => "write the URL without user and password, and say where they come from",
            Self::ServiceKey(_)
            | Self::Jwt
            | Self::Header
            | Self::PrivateKey
            | Self::Query
            | Self::Assignment
            | Self::Member => {
                "remove it, and use a placeholder such as `<token>` or the name of an environment variable"
            }
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ServiceKey(service) => return write!(f, "a key of {service}"),
            Self::Jwt => "a JSON Web Token",
            Self::Header => "the credential of an `Authorization` header",
            Self::PrivateKey => "a private key",
            Self::UserInfo => "a URL with a user's credentials",
            Self::Query => "a credential in the query of a URL",
            Self::Assignment => "a value for a name that means a credential",
            Self::Member => "a value for a member whose name means a credential",
            Self::Internal => "an address of a private network",
        })
    }
}
