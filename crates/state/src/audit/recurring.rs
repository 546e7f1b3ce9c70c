//! Caches texts that recur in successive records, such as the name of a tool, with what is known
//! about them.
use std::borrow::Cow;
use std::collections::HashMap;

use super::entry_members::EntryMember;
use super::keys::Keys;

/// The most digests that are cached, and the most bytes of a cached text.
const MOST: usize = 256;
const LONGEST: usize = 256;

#[derive(Debug, Default)]
pub(super) struct RecurringTexts {
    /// The last text of each member that holds no secret and need not be cut.
    clean: Vec<(EntryMember, String)>,
    digests: HashMap<String, String>,
}

impl RecurringTexts {
    /// Returns the text of a member as `clean` returns it. A text that `clean` changes is not
    /// cached, because it may hold a secret.
    pub(super) fn cleaned<'a>(
        &mut self,
        member: EntryMember,
        text: &'a str,
        clean: impl FnOnce(&'a str) -> Cow<'a, str>,
    ) -> Cow<'a, str> {
        let last = self.clean.iter_mut().find(|(of, _)| *of == member);
        if last.as_ref().is_some_and(|(_, last)| last == text) {
            return Cow::Borrowed(text);
        }
        let cleaned = clean(text);
        if text.len() <= LONGEST && cleaned == text {
            match last {
                Some((_, last)) => {
                    last.clear();
                    last.push_str(text);
                }
                None => self.clean.push((member, text.to_owned())),
            }
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
    fn the_last_text_of_a_member_is_not_searched_again() {
        let mut recurring = RecurringTexts::default();
        let mut searched = Vec::new();
        let long = "x".repeat(LONGEST + 1);
        for (member, text) in [
            (EntryMember::Target, "a"),
            (EntryMember::Target, "a"),
            (EntryMember::Agent, "a"),
            (EntryMember::Target, "b"),
            (EntryMember::Agent, "a"),
            (EntryMember::Target, "secret"),
            (EntryMember::Target, "secret"),
            (EntryMember::Target, "b"),
            (EntryMember::Target, &long),
            (EntryMember::Target, &long),
        ] {
            let shown = recurring.cleaned(member, text, |text| {
                searched.push((member, text));
                if text == "secret" { Cow::Borrowed("***") } else { Cow::Borrowed(text) }
            });
            assert_eq!(shown, if text == "secret" { "***" } else { text });
        }
        let secret = (EntryMember::Target, "secret");
        let long = (EntryMember::Target, &*long);
        let expected = [
            (EntryMember::Target, "a"),
            (EntryMember::Agent, "a"),
            (EntryMember::Target, "b"),
            secret,
            secret,
            long,
            long,
        ];
        assert_eq!(searched, expected);
        assert_eq!(recurring.clean.len(), 2, "one text for each member");
    }
}
