//! Verbs in names and descriptions, and the effects that they suggest.
use overt_policy::record::Effect;

/// Returns the word of a name with the worst effect, and that effect. The first of several equal
/// ones wins.
pub(in super::super) fn worst_verb(name: &str) -> Option<(String, Effect)> {
    let words = words(name);
    let mut first: Option<Effect> = None;
    let mut worst: Option<(String, Effect)> = None;
    for (index, word) in words.iter().enumerate() {
        let next = words.get(index + 1).map_or("", String::as_str);
        let Some(effect) = effect_of(word).filter(|_| !means_signing_in(word, next)) else { continue };
        let first_reads = *first.get_or_insert(effect) == Effect::Read;
        // In `get_post` the word is a noun, in `read_and_post` a verb.
        let follows_and = index > 0 && matches!(words[index - 1].as_str(), "and" | "then" | "or");
        let is_object = first_reads && effect > Effect::Read && NOUNS.contains(&word.as_str());
        let is_merge_request = worst.is_some() && word == "merge" && matches!(next, "request" | "requests");
        if (is_object || is_merge_request) && !follows_and {
            continue;
        }
        if worst.as_ref().is_none_or(|(_, known)| effect > *known) {
            worst = Some((word.clone(), effect));
        }
    }
    worst
}

/// `log` is a reading verb, but not in `log in` and `log out`.
fn means_signing_in(word: &str, next: &str) -> bool {
    matches!(word, "log" | "logs") && matches!(next, "in" | "into" | "out")
}

/// Returns the verb that a sentence begins with: `read` for "Reads a file" and for "Use this tool
/// to read a file".
pub(in super::super) fn leading_verb(sentence: &str) -> Option<(String, &str)> {
    const BEFORE: [&str; 3] = ["Use to ", "Use this to ", "Use this tool to "];
    let sentence = BEFORE.iter().find_map(|before| sentence.strip_prefix(before)).unwrap_or(sentence);
    // A verb without an object says too little.
    let (first, rest) = sentence.split_once(char::is_whitespace)?;
    let first = first.to_lowercase();
    let next = words(rest).into_iter().next().unwrap_or_default();
    if means_signing_in(&first, &next) {
        return None;
    }
    let forms = [Some(first.as_str()), first.strip_suffix('s'), first.strip_suffix("es")];
    let verb = forms.into_iter().flatten().find(|verb| effect_of(verb).is_some())?;
    Some((verb.to_owned(), rest))
}

/// Returns the words of a name such as `git_diff-staged` or `readFile`, in lower case.
pub(in super::super) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for c in name.chars() {
        if c.is_alphanumeric() {
            let starts = !before.is_alphanumeric() || (c.is_uppercase() && before.is_lowercase());
            match words.last_mut().filter(|_| !starts) {
                Some(word) => word.extend(c.to_lowercase()),
                None => words.push(c.to_lowercase().collect()),
            }
        }
        before = c;
    }
    words
}

/// Returns the effect that a verb suggests. Verbs that change existing things count as destructive,
/// as in the protocol; only those that add do not.
pub(in super::super) fn effect_of(verb: &str) -> Option<Effect> {
    VERBS
        .iter()
        .find(|(_, verbs)| verbs.split_whitespace().any(|known| known == verb))
        .map(|(effect, _)| *effect)
}

const VERBS: [(Effect, &str); 4] = [
    (
        Effect::Read,
        "analyse analyze browse calculate check compare compute count describe diff display echo explain export \
         extract fetch find geocode get head help inspect lint list log lookup measure parse ping poll preview \
         query read recall resolve retrieve return scan screenshot search show snapshot stat status summarise \
         summarize tail think validate verify view wait",
    ),
    (
        Effect::Mutating,
        "add append attach clone commit copy create download duplicate fork generate import init initialize \
         insert install login logout make mark record register remember save schedule stage start store tag",
    ),
    (
        Effect::External,
        "book call click comment connect deploy dispatch drag email fill follow hover invite invoke navigate \
         notify order pay post press publish push react replay reply request resend respond send share submit \
         subscribe transfer trigger tweet type upload visit",
    ),
    (
        Effect::Destructive,
        "apply approve archive assign cancel change checkout clear close deactivate delete destroy disable drop \
         edit enable erase eval evaluate exec execute flush forget kill lock manage merge migrate modify move \
         overwrite patch prune purge put reject remove rename replace reset restart restore revert revoke \
         rollback rotate run set stop sync terminate trash truncate unapprove unassign undo uninstall unlock \
         update upsert wipe write",
    ),
];

/// Verbs that are also nouns. After a reading verb, they are its object.
const NOUNS: [&str; 41] = [
    "add", "book", "call", "change", "checkout", "clone", "comment", "commit", "connect", "copy", "dispatch",
    "download", "edit", "email", "fork", "import", "install", "invite", "lock", "login", "mark", "merge",
    "order", "patch", "post", "record", "replay", "reply", "request", "run", "schedule", "set", "share",
    "stage", "start", "store", "tag", "transfer", "trigger", "type", "update",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_apart_into_words() {
        assert_eq!(words("git_diff-staged"), ["git", "diff", "staged"]);
        assert_eq!(words("readTextFile"), ["read", "text", "file"]);
        assert_eq!(words("HTTPGet__x"), ["httpget", "x"]);
        assert!(words("__").is_empty());
    }

    #[test]
    fn the_worst_verb_counts_and_nouns_do_not() {
        for (name, verb) in [
            ("get_post", "get"),
            ("list_order", "list"),
            ("get_and_post", "post"),
            ("get_and_delete_files", "delete"),
            ("query_execute", "execute"),
            ("order_pizza", "order"),
            ("git_reset", "reset"),
            ("ListRecordingAddOnResult", "list"),
            ("FetchConnectApp", "fetch"),
            ("ListUsageTrigger", "list"),
            ("list_dispatch_namespaces", "list"),
            ("add_trigger", "trigger"),
            ("verify-login", "verify"),
            ("get_schedule", "get"),
            ("create_merge_request", "request"),
            ("add_merge_requests_label", "add"),
            ("create_and_merge_request", "merge"),
            ("merge_merge_request", "merge"),
            ("create_merge_train", "merge"),
            ("unapprove_merge_request", "unapprove"),
            ("pg_manage_users", "manage"),
            ("linear_markNotificationAsRead", "mark"),
            ("git_log", "log"),
            ("logout", "logout"),
            ("respond-to-event", "respond"),
            ("maps_reverse_geocode", "geocode"),
        ] {
            assert_eq!(worst_verb(name).map(|(verb, _)| verb).as_deref(), Some(verb), "{name}");
        }
        for name in ["thing", "log_in", "user_log_out", "watch_card"] {
            assert_eq!(worst_verb(name), None, "{name}");
        }
    }

    #[test]
    fn a_sentence_begins_with_a_verb_in_any_form() {
        for (sentence, verb) in [
            ("Reads a file", "read"),
            ("Searches it", "search"),
            ("Caches it", ""),
            ("Use to get a text back", "get"),
            ("List", ""),
            ("A tool that reads", ""),
            ("Logs a message", "log"),
            ("Log out of the account", ""),
            ("Logs in to the account", ""),
            ("Watch a card", ""),
        ] {
            let found = leading_verb(sentence).map(|(verb, _)| verb).unwrap_or_default();
            assert_eq!(found, verb, "{sentence}");
        }
    }

    #[test]
    fn no_verb_is_listed_twice() {
        let all: Vec<&str> = VERBS.iter().flat_map(|(_, verbs)| verbs.split_whitespace()).collect();
        let distinct: std::collections::BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(all.len(), distinct.len());
        assert!(NOUNS.iter().all(|noun| effect_of(noun).is_some_and(|effect| effect > Effect::Read)));
    }
}
