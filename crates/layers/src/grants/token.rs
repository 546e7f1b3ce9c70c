//! A grant as text that a client can carry and not change: `v1.<payload>.<code>`. A token allows
//! nothing by itself: it names a grant, and the grant must still be in the store with all that the
//! token was made for (SCP-04).
use overt_policy::word::StringEnum as _;

use super::{Grant, GrantId};
use crate::seal::{Seal, digest};

/// Makes tokens and knows its own.
#[derive(Debug)]
pub struct Tokens {
    seal: Seal,
}

/// Longer texts are not tokens of ours.
const LONGEST: usize = 512;
const VERSION: &str = "v1";

impl Tokens {
    /// Tokens of this process alone.
    pub fn random() -> Self {
        Self { seal: Seal::random() }
    }

    /// The tokens that this key seals.
    pub fn keyed(key: [u8; 32]) -> Self {
        Self { seal: Seal::with(key) }
    }

    pub fn token(&self, grant: &Grant) -> String {
        format!("{VERSION}.{}", self.seal.close(&payload(grant)))
    }

    /// The name of the grant that a token was made for, if we made it.
    pub fn open(&self, token: &str) -> Option<GrantId> {
        Some(GrantId(self.payload(token)?.split(' ').nth(1)?.to_owned()))
    }

    /// Whether the token was made for this grant as it is now.
    pub fn is_of(&self, token: &str, grant: &Grant) -> bool {
        self.payload(token).is_some_and(|sealed| sealed == payload(grant))
    }

    fn payload(&self, token: &str) -> Option<String> {
        let sealed = token.get(..LONGEST.min(token.len())).filter(|cut| cut.len() == token.len())?;
        self.seal.open(sealed.strip_prefix(VERSION)?.strip_prefix('.')?)
    }
}

/// The version is in it too, so that a token can't be passed off as one of another version. A
/// reader learns the name of the grant and nothing else.
fn payload(grant: &Grant) -> String {
    let terms = &grant.terms;
    let scopes: Vec<String> = terms.scopes.iter().map(ToString::to_string).collect();
    let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
    let expires = terms.expires.map(|expires| expires.to_string());
    let bound = digest(&[
        &grant.holder.principal,
        &grant.holder.session,
        &terms.server,
        // An empty project is none, and no project is empty.
        terms.project.as_deref().unwrap_or_default(),
        &terms.tools.to_string(),
        terms.tool_digest.as_deref().unwrap_or_default(),
        &digest(&scopes),
        terms.lifetime.as_str(),
        terms.arguments.as_deref().unwrap_or_default(),
        terms.plan.as_deref().unwrap_or_default(),
        expires.as_deref().unwrap_or_default(),
        &grant.given.to_string(),
        terms.verdict.as_str(),
    ]);
    format!("{VERSION} {} {bound}", grant.id)
}
