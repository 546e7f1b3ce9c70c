//! Texts that recur in many records, such as the name of a tool: what was made of one is kept for the next record.
use std::borrow::Cow;
use std::collections::HashMap;

use super::keys::Keys;

/// Texts of each kind that are kept, at most, and bytes of one.
const MOST: usize = 256;
const LONGEST: usize = 256;

#[derive(Debug, Default)]
pub(super) struct Recurring {
    names: HashMap<String, String>,
    texts: HashMap<String, String>,
    digests: HashMap<String, String>,
}

/// How a text recurs. The kinds are kept apart, so that texts that differ from call to call push no names out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recurs {
    /// A name that nearly every record has.
    Name,
    /// A sentence or a scope, which may name what the call is about.
    Text,
}

impl Recurring {
    /// The text as `clean` makes it.
    pub(super) fn cleaned(
        &mut self,
        recurs: Recurs,
        text: &str,
        clean: impl FnOnce(&str) -> Cow<'_, str>,
    ) -> Cow<'_, str> {
        let known = match recurs {
            Recurs::Name => &mut self.names,
            Recurs::Text => &mut self.texts,
        };
        kept(known, text, |text| clean(text).into_owned())
    }

    pub(super) fn digest(&mut self, text: &str, keys: &Keys) -> Cow<'_, str> {
        kept(&mut self.digests, text, |text| keys.digest(text))
    }
}

fn kept<'a>(
    known: &'a mut HashMap<String, String>,
    text: &str,
    make: impl FnOnce(&str) -> String,
) -> Cow<'a, str> {
    if text.len() > LONGEST {
        return Cow::Owned(make(text));
    }
    if !known.contains_key(text) {
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(text.to_owned(), make(text));
    }
    known.get(text).map_or(Cow::Borrowed(""), |made| Cow::Borrowed(made))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_is_kept_within_bounds() {
        let mut recurring = Recurring::default();
        let mut made = 0;
        for text in ["a", "a", "b", &"x".repeat(LONGEST + 1), "a"] {
            let cleaned = recurring.cleaned(Recurs::Name, text, |text| {
                made += 1;
                Cow::Borrowed(text)
            });
            assert_eq!(cleaned, text);
        }
        assert_eq!((made, recurring.names.len()), (3, 2));
        for number in 0..3 * MOST {
            recurring.cleaned(Recurs::Text, &number.to_string(), |text| Cow::Borrowed(text));
        }
        assert!(recurring.texts.len() <= MOST);
        assert_eq!(recurring.names.len(), 2, "texts push no names out");
    }
}
