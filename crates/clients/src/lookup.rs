//! Finds clients by what people type, and by the name that clients send.
use std::time::Duration;

use super::facts::{ClientFacts, Limit};
use super::table::ALL;

/// How long a call waits for a person if its client is unknown. The usual limit of a client is a
/// minute.
const UNKNOWN_WAIT: Duration = Duration::from_secs(50);
/// How long a call waits for a person if its client has no limit.
const LONGEST_WAIT: Duration = Duration::from_secs(3_600);
/// How much earlier than its client a call gives up, so that the model can read the reason.
const MARGIN: Duration = Duration::from_secs(5);

/// Returns the client that a person means. Case, spaces, hyphens and underscores make no
/// difference.
pub fn by_word(word: &str) -> Option<&'static ClientFacts> {
    let fold = |text: &str| text.to_lowercase().replace([' ', '-', '_'], "");
    let word = fold(word);
    ALL.iter().find(|client| fold(client.word) == word || fold(client.name) == word)
}

/// Returns the words that people can type, one for each client.
pub fn words() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|client| client.word)
}

/// Returns the client with this `clientInfo.name`.
fn of_info(name: &str) -> Option<&'static ClientFacts> {
    let is_one = |known: &&str| match known.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == *known,
    };
    ALL.iter().find(|client| client.info_names.iter().any(is_one))
}

/// Returns how long a call of the client with this name waits for a person: a little less than the
/// client itself waits. `reports` says whether the call asked for progress.
pub fn longest_wait(name: Option<&str>, reports: bool) -> Duration {
    match name.and_then(of_info).map_or(Limit::Unknown, |client| client.call_limit) {
        Limit::Endless => LONGEST_WAIT,
        Limit::Silence(_) if reports => LONGEST_WAIT,
        Limit::Silence(limit) | Limit::Fixed(limit) => limit.saturating_sub(MARGIN).min(LONGEST_WAIT),
        Limit::Unknown => UNKNOWN_WAIT,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn clients_are_found_by_what_people_type() {
        for (typed, name) in [
            ("claude-code", "Claude Code"),
            ("Claude Code", "Claude Code"),
            ("VSCode", "VS Code"),
            ("vs code", "VS Code"),
            ("CURSOR", "Cursor"),
        ] {
            assert_eq!(by_word(typed).map(|client| client.name), Some(name), "{typed}");
        }
        assert!(by_word("claude").is_none(), "it could be either");
        let words: HashSet<&str> = words().collect();
        assert_eq!(words.len(), ALL.len(), "each has a word of its own");
    }

    #[test]
    fn a_call_waits_a_little_less_than_its_client() {
        let seconds = |name, reports| longest_wait(name, reports).as_secs();
        assert_eq!(seconds(None, true), 50);
        assert_eq!(seconds(Some("somebody"), true), 50);
        assert_eq!(seconds(Some("claude-ai"), true), 55, "progress changes nothing there");
        assert_eq!(seconds(Some("opencode"), false), 55);
        assert_eq!(seconds(Some("opencode"), true), 3_600);
        assert_eq!(seconds(Some("claude-code"), false), 1_795);
        assert_eq!(seconds(Some("local-agent-mode-files"), false), 1_795);
        assert_eq!(seconds(Some("Visual Studio Code"), false), 3_600);
        assert_eq!(seconds(Some("codex-mcp-client"), false), 55, "older versions give up after a minute");
    }

    #[test]
    fn the_table_has_what_it_needs() {
        for client in ALL {
            assert!(!client.word.is_empty() && !client.name.is_empty() && !client.files.is_empty());
            assert!(!client.reload.is_empty(), "{}", client.name);
        }
        let names: Vec<&str> = ALL.iter().flat_map(|client| client.info_names).copied().collect();
        let distinct: HashSet<&str> = names.iter().copied().collect();
        assert_eq!(names.len(), distinct.len(), "a name means one client");
    }
}
