//! Request ids that keep the exact token that the peer wrote.
use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::json::{Json, quote, unescape};

/// A JSON-RPC id: a string, or an integer that fits in 64 bits. It is echoed as the peer wrote it
/// and compared by value: `"a"` equals `"\u0061"`, `-0` equals `0`, and `1` doesn't equal `"1"`.
#[derive(Clone)]
pub struct Id {
    /// Shared, because an id accompanies its request through every layer.
    token: Arc<str>,
}

impl Id {
    /// Reads an id from a value. Returns `None` for a value that can't be an id (null, 1.5, an
    /// object).
    pub fn of(value: Json<'_>) -> Option<Self> {
        (value.is_string() || value.integer().is_some()).then(|| Self { token: value.as_str().into() })
    }

    /// The exact text of the token, quotes included.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The token in canonical form.
    fn meaning(&self) -> Cow<'_, str> {
        match &*self.token {
            "-0" => Cow::Borrowed("0"),
            token if token.contains('\\') => Cow::Owned(quote(&unescape(&token[1..token.len() - 1]))),
            token => Cow::Borrowed(token),
        }
    }
}

impl From<u64> for Id {
    fn from(number: u64) -> Self {
        Self { token: number.to_string().into() }
    }
}

impl From<&str> for Id {
    fn from(text: &str) -> Self {
        Self { token: quote(text).into() }
    }
}

impl PartialEq for Id {
    fn eq(&self, other: &Self) -> bool {
        self.meaning() == other.meaning()
    }
}

impl Eq for Id {}

impl Hash for Id {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.meaning().hash(state);
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.token)
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.token)
    }
}
