//! Member names as they are written in a text.
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use super::string::unescape;

/// A member name as the text spells it, escapes included. Compare it with [`Key::is`].
#[derive(Clone, Copy)]
pub struct Key<'a>(pub(super) &'a str);

impl<'a> Key<'a> {
    /// Whether the name equals `name` once its escapes are decoded.
    pub fn is(self, name: &str) -> bool {
        // Every escape is longer than what it stands for.
        match self.0.len().cmp(&name.len()) {
            Ordering::Less => false,
            Ordering::Equal => self.0 == name,
            Ordering::Greater => self.0.bytes().any(|byte| byte == b'\\') && self.name() == name,
        }
    }

    /// The name with its escapes decoded.
    pub fn name(self) -> Cow<'a, str> {
        unescape(self.0)
    }
}

impl fmt::Debug for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0)
    }
}
