//! Member names as they are written in a text.
use std::borrow::Cow;
use std::fmt;

use super::string::unescape;

/// A member name as the text spells it, escapes included. Compare it with [`Key::is`].
#[derive(Clone, Copy)]
pub struct Key<'a>(pub(super) &'a str);

impl<'a> Key<'a> {
    /// Whether the name equals `name` once its escapes are decoded.
    pub fn is(self, name: &str) -> bool {
        self.0 == name || (self.0.contains('\\') && self.name() == name)
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
