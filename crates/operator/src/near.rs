//! "Did you mean": lists the existing names, the most similar to the typed one first.
use overt_policy::near::{FAR, rank};

/// Text for an error: the most similar name if it is similar enough, and then at most `MOST_NAMES`
/// names, similar ones first.
pub fn valid_names<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let mut ranked: Vec<(usize, &str)> = names.into_iter().map(|name| (rank(typed, name), name)).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    let near = ranked.first().filter(|(rank, _)| *rank < FAR).map(|(_, name)| *name);
    let mut text = near.map(|name| format!("did you mean `{name}`? ")).unwrap_or_default();
    text.push_str("available: ");
    let shown: Vec<String> = ranked.iter().take(MOST_NAMES).map(|(_, name)| format!("`{name}`")).collect();
    text.push_str(&shown.join(", "));
    if ranked.len() > MOST_NAMES {
        text.push_str(&format!(" and {} more", ranked.len() - MOST_NAMES));
    }
    text
}

const MOST_NAMES: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_come_first() {
        let names = ["echo", "get-sum", "get-env", "toggle-simulated-logging"];
        let say = |typed| valid_names(typed, names);
        assert!(say("get_sum").starts_with("did you mean `get-sum`? available: `get-sum`, "));
        assert!(say("ehco").starts_with("did you mean `echo`?"));
        assert!(say("ecko").starts_with("did you mean `echo`?"));
        assert!(say("logging").starts_with("did you mean `toggle-simulated-logging`?"));
        assert_eq!(valid_names("c", ["a", "b"]), "available: `a`, `b`");
        assert_eq!(say("zzz"), "available: `echo`, `get-sum`, `get-env`, `toggle-simulated-logging`");
    }

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<String> = (0..50).map(|n| format!("tool{n}")).collect();
        let text = valid_names("x", names.iter().map(String::as_str));
        assert!(text.ends_with("`tool19` and 30 more"), "{text}");
    }
}
