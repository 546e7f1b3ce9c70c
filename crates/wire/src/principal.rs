//! Who makes a request. Found once per request by the transport; everything that is kept for
//! somebody is kept under a principal.
use std::fmt;
use std::sync::Arc;

/// A person or a program that was identified. Clones share it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Principal(Arc<Identity>);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Identity {
    /// Who vouches for the subject: `overt` itself, or the URL of an issuer of tokens.
    issuer: String,
    subject: String,
    groups: Vec<String>,
}

/// The issuer of principals that Overt identifies itself.
const OVERT: &str = "overt";
/// The user of this machine, as whom Overt runs.
const LOCAL: &str = "local";
/// Readers of public documents, who are not identified.
const PUBLIC: &str = "public";

impl Principal {
    /// The user of this machine. The kernel vouches for it: a process of the same user, at the
    /// other end of a pipe or of a loopback connection.
    pub fn local() -> Self {
        Self::identified_by_overt(LOCAL)
    }

    /// Stands for every reader of public documents.
    pub fn public() -> Self {
        Self::identified_by_overt(PUBLIC)
    }

    /// The holder of an access token of ours. `id` identifies the token and gives no access.
    pub fn token_holder(id: &str) -> Self {
        Self::identified_by_overt(&format!("token:{id}"))
    }

    /// A principal for whom another issuer vouches. No such principal is ever equal to one that
    /// Overt identified itself, because an issuer is a URL.
    pub fn issued_by(issuer: &str, subject: &str, groups: Vec<String>) -> Self {
        Self(Arc::new(Identity { issuer: issuer.to_owned(), subject: subject.to_owned(), groups }))
    }

    fn identified_by_overt(subject: &str) -> Self {
        Self::issued_by(OVERT, subject, Vec::new())
    }

    pub fn issuer(&self) -> &str {
        &self.0.issuer
    }

    pub fn subject(&self) -> &str {
        &self.0.subject
    }

    pub fn groups(&self) -> &[String] {
        &self.0.groups
    }

    /// Returns the text under which something is kept for this principal. Two principals never have
    /// the same: white space in the issuer is escaped, and only principals of other issuers contain
    /// a space. Groups are not a part of it, because they change.
    pub fn key(&self) -> String {
        match self.0.issuer.as_str() {
            OVERT => escaped(&self.0.subject),
            issuer => format!("{} {}", escaped(issuer), self.0.subject),
        }
    }

    /// Returns the principal with this key, without groups.
    pub fn from_key(key: &str) -> Self {
        match key.split_once(' ') {
            None => Self::identified_by_overt(&unescaped(key)),
            Some((issuer, subject)) => Self::issued_by(&unescaped(issuer), subject, Vec::new()),
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace(' ', "%20")
}

fn unescaped(text: &str) -> String {
    text.replace("%20", " ").replace("%25", "%")
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.key())
    }
}

impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Principal({})", self.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_principal_has_a_key_of_its_own() {
        let issued = |issuer: &str, subject: &str| Principal::issued_by(issuer, subject, Vec::new());
        let all = [
            Principal::local(),
            Principal::public(),
            Principal::token_holder("a"),
            Principal::token_holder("b"),
            Principal::token_holder("a b"),
            Principal::token_holder("a%20b"),
            issued("https://one", "a"),
            issued("https://two", "a"),
            issued("https://one a", ""),
            issued("https://one%20a", ""),
            issued("", "local"),
            issued("", ""),
        ];
        for (at, one) in all.iter().enumerate() {
            assert_eq!(Principal::from_key(&one.key()), *one);
            assert!(all[at + 1..].iter().all(|other| other.key() != one.key()), "{one}");
        }
        assert_eq!(Principal::local().key(), "local");
    }
}
