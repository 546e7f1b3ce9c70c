//! Caches texts that recur in many records, such as the name of a tool, with what is known about
//! them.
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::keys::Keys;

/// The most texts of each kind that are cached, and the most bytes of one.
const MOST: usize = 256;
const LONGEST: usize = 256;

#[derive(Debug, Default)]
pub(super) struct RecurringTexts {
    /// Texts that hold no secret and need not be cut.
    names: HashSet<String>,
    texts: HashSet<String>,
    digests: HashMap<String, String>,
}

/// How often a text recurs. Each kind has its own cache, so that texts that differ from call to
/// call do not displace names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextKind {
    /// A name that occurs in nearly every record.
    Name,
    /// A sentence or a scope, which may mention details of the call.
    Text,
}

impl RecurringTexts {
    /// Returns the text as `clean` returns it. A text that `clean` changes is not cached, because
    /// it may hold a secret.
    pub(super) fn cleaned<'a>(
        &mut self,
        recurs: TextKind,
        text: &'a str,
        clean: impl FnOnce(&'a str) -> Cow<'a, str>,
    ) -> Cow<'a, str> {
        let clean_texts = match recurs {
            TextKind::Name => &mut self.names,
            TextKind::Text => &mut self.texts,
        };
        if clean_texts.contains(text) {
            return Cow::Borrowed(text);
        }
        let cleaned = clean(text);
        if text.len() <= LONGEST && cleaned == text {
            if clean_texts.len() >= MOST {
                clean_texts.clear();
            }
            clean_texts.insert(text.to_owned());
        }
        cleaned
    }

    pub(super) fn digest(&mut self, text: &str, keys: &Keys) -> Cow<'_, str> {
        if text.len() > LONGEST {
            return Cow::Owned(keys.digest(text));
        }
        if !self.digests.contains_key(text) {
            if self.digests.len() >= MOST {
                self.digests.clear();
            }
            self.digests.insert(text.to_owned(), keys.digest(text));
        }
        self.digests.get(text).map_or(Cow::Borrowed(""), |digest| Cow::Borrowed(digest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_out_is_kept_within_bounds() {
        let mut recurring = RecurringTexts::default();
        let mut cleaned = 0;
        for text in ["a", "a", "b", &"x".repeat(LONGEST + 1), "a", "secret", "secret"] {
            let shown = recurring.cleaned(TextKind::Name, text, |text| {
                cleaned += 1;
                if text == "secret" { Cow::Borrowed("***") } else { Cow::Borrowed(text) }
            });
            assert_eq!(shown, if text == "secret" { "***" } else { text });
        }
        assert_eq!((cleaned, recurring.names.len()), (5, 2), "no text with a secret is kept");
        for number in 0..3 * MOST {
            recurring.cleaned(TextKind::Text, &number.to_string(), Cow::Borrowed);
        }
        assert!(recurring.texts.len() <= MOST);
        assert_eq!(recurring.names.len(), 2, "texts push no names out");
    }
}
