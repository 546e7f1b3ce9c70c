//! A grant as text that a client carries but cannot change: `v1.<payload>.<code>`. A token alone
//! allows nothing. It names a grant, and the store must still have that grant with the same terms
//! (SCP-04).
use overt_policy::word::StringEnum as _;

use super::{GivenGrant, Grant, GrantId};
use crate::seal::{Seal, digest};

/// Makes tokens and recognizes them.
#[derive(Debug)]
pub struct Tokens {
    seal: Seal,
}

/// The longest token, in bytes. Longer texts are not tokens of ours.
const LONGEST: usize = 512;
const VERSION: &str = "v1";

impl Tokens {
    /// Makes tokens that are valid in this process only.
    pub fn random() -> Self {
        Self { seal: Seal::random() }
    }

    /// Makes tokens with this key.
    pub fn keyed(key: [u8; 32]) -> Self {
        Self { seal: Seal::with(key) }
    }

    pub fn token(&self, grant: &Grant) -> String {
        format!("{VERSION}.{}", self.seal.close(&payload(grant)))
    }

    /// Returns the grant with its token.
    pub fn given(&self, grant: Grant) -> GivenGrant {
        GivenGrant { token: self.token(&grant), grant }
    }

    /// Returns the id of the grant that a token was made for, if we made the token.
    pub fn open(&self, token: &str) -> Option<GrantId> {
        Some(GrantId(self.payload(token)?.split(' ').nth(1)?.to_owned()))
    }

    /// Returns whether the token was made for this grant with its current terms.
    pub fn is_of(&self, token: &str, grant: &Grant) -> bool {
        self.payload(token).is_some_and(|sealed| sealed == payload(grant))
    }

    fn payload(&self, token: &str) -> Option<String> {
        let sealed = token.get(..LONGEST.min(token.len())).filter(|cut| cut.len() == token.len())?;
        self.seal.open(sealed.strip_prefix(VERSION)?.strip_prefix('.')?)
    }
}

/// Returns the payload of a grant's token. It contains the version, so that a token can't be passed
/// off as one of another version. A reader learns only the grant's id.
fn payload(grant: &Grant) -> String {
    let terms = &grant.terms;
    let scopes: Vec<String> = terms.scopes.iter().map(ToString::to_string).collect();
    let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
    let expires = terms.expires.map(|expires| expires.to_string());
    let bound = digest(&[
        &grant.holder.principal.key(),
        &grant.holder.client.to_text(),
        &terms.server,
        // No real project is empty, so an empty text stands for none.
        terms.project.as_deref().unwrap_or_default(),
        &terms.tools.to_string(),
        terms.tool_digest.as_deref().unwrap_or_default(),
        &digest(&scopes),
        terms.lifetime.as_str(),
        terms.arguments.as_deref().unwrap_or_default(),
        terms.plan.as_deref().unwrap_or_default(),
        expires.as_deref().unwrap_or_default(),
        &grant.issued_at.to_string(),
        terms.verdict.as_str(),
    ]);
    format!("{VERSION} {} {bound}", grant.id)
}
