//! What was allowed, to whom, for how long.
use std::fmt;

use overt_spec::scope::Scope;
use overt_spec::word::words;

words! {
    /// How long a grant holds.
    pub enum Lasts {
        /// For one call with the arguments that were shown.
        Once = "once",
        /// Until the session ends.
        Session = "session",
        /// Until somebody revokes it.
        Always = "always",
    }
}

/// The name of a grant, such as `g-17`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GrantId(pub String);

/// Who may use a grant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Holder {
    pub principal: String,
    /// A digest of the session's id; the id itself is kept nowhere.
    pub session: String,
}

/// What a person agreed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    pub server: String,
    pub tool: String,
    pub scopes: Vec<Scope>,
    pub lasts: Lasts,
    /// A digest of the arguments, for [`Lasts::Once`]: the person saw these and no others.
    pub arguments: Option<String>,
    /// Seconds since 1970 after which it is over.
    pub expires: Option<u64>,
}

/// Something that was allowed and not taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    pub id: GrantId,
    pub holder: Holder,
    pub terms: Terms,
    /// Seconds since 1970.
    pub given: u64,
}

impl fmt::Display for GrantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
