//! What a tool's effect may be, from its hints and its name. A guess: somebody has to look at it before it is said anywhere.
use crate::live::LiveTool;
use overt_policy::record::Effect;

/// An effect, and from what it was guessed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Guess {
    pub(super) effect: Effect,
    pub(super) why: String,
}

/// Hints come first, and the guess is never less careful than they are. Without hints the name decides. None when neither
/// says anything.
pub(super) fn effect(tool: &LiveTool) -> Option<Guess> {
    let hints = tool.hints;
    let named = verb(&tool.name);
    let reaches_out = hints.open_world == Some(true);
    let changes = if reaches_out { Effect::External } else { Effect::Mutating };
    let guess = |effect: Effect, why: &str| {
        let suspicion = match &named {
            Some((verb, suggested)) if *suggested > effect => {
                format!("; but `{verb}` in its name suggests `{suggested}`")
            }
            _ => String::new(),
        };
        Some(Guess { effect, why: format!("{why}{suspicion}") })
    };
    match (hints.read_only, hints.destructive, &named) {
        (Some(true), Some(true), _) => {
            guess(Effect::Destructive, "its hints contradict each other: read-only and destructive")
        }
        (_, Some(true), _) => guess(Effect::Destructive, "from its hint `destructiveHint: true`"),
        (Some(true), _, _) => guess(Effect::Read, "from its hint `readOnlyHint: true`"),
        (_, Some(false), _) if reaches_out => {
            guess(changes, "from its hints `destructiveHint: false` and `openWorldHint: true`")
        }
        (_, Some(false), _) => guess(changes, "from its hint `destructiveHint: false`"),
        (Some(false), None, Some((verb, suggested))) if *suggested > Effect::Read => guess(
            (*suggested).max(changes),
            &format!("from its hint `readOnlyHint: false` and `{verb}` in its name"),
        ),
        (Some(false), None, _) => guess(
            Effect::Destructive,
            "from its hint `readOnlyHint: false`; without `destructiveHint` it may destroy something",
        ),
        (None, None, Some((verb, Effect::Read))) => {
            guess(Effect::Read, &format!("from `{verb}` in its name"))
        }
        (None, None, Some((verb, suggested))) => {
            guess((*suggested).max(changes), &format!("from `{verb}` in its name"))
        }
        (None, None, None) => None,
    }
}

/// The word of a name that says the worst that may be done, and what that is; the first of several.
fn verb(name: &str) -> Option<(String, Effect)> {
    let verbs = words(name).into_iter().filter_map(|word| {
        let effect = effect_of(&word)?;
        Some((word, effect))
    });
    verbs.reduce(|worst, verb| if verb.1 > worst.1 { verb } else { worst })
}

/// The words of a name such as `git_diff-staged` or `readFile`, in lower case.
pub(super) fn words(name: &str) -> Vec<String> {
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

/// What a verb may do. Whatever changes what is there counts as destructive, as in the protocol: only what adds is not.
pub(super) fn effect_of(verb: &str) -> Option<Effect> {
    VERBS.iter().find(|(_, verbs)| verbs.contains(&verb)).map(|(effect, _)| *effect)
}

const VERBS: [(Effect, &[&str]); 4] = [
    (
        Effect::Read,
        &[
            "browse",
            "calculate",
            "check",
            "compare",
            "count",
            "describe",
            "diff",
            "echo",
            "explain",
            "fetch",
            "find",
            "get",
            "head",
            "help",
            "inspect",
            "list",
            "log",
            "lookup",
            "ping",
            "preview",
            "query",
            "read",
            "search",
            "show",
            "stat",
            "status",
            "summarize",
            "tail",
            "validate",
            "view",
        ],
    ),
    (
        Effect::Mutating,
        &[
            "add", "append", "clone", "commit", "copy", "create", "import", "insert", "make", "register",
            "stage",
        ],
    ),
    (
        Effect::External,
        &[
            "book", "call", "deploy", "email", "invite", "notify", "order", "pay", "post", "publish", "push",
            "reply", "send", "share", "submit", "transfer", "upload",
        ],
    ),
    (
        Effect::Destructive,
        &[
            "cancel",
            "checkout",
            "clear",
            "delete",
            "destroy",
            "disable",
            "drop",
            "edit",
            "erase",
            "eval",
            "exec",
            "execute",
            "kill",
            "merge",
            "move",
            "overwrite",
            "patch",
            "purge",
            "put",
            "remove",
            "rename",
            "replace",
            "reset",
            "revoke",
            "run",
            "set",
            "stop",
            "terminate",
            "truncate",
            "uninstall",
            "update",
            "write",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use overt_policy::record::Hints;

    /// Hints in the order of the protocol: read-only, destructive, open world.
    fn guess(name: &str, hints: [Option<bool>; 3]) -> String {
        let [read_only, destructive, open_world] = hints;
        let tool = LiveTool {
            name: name.to_owned(),
            title: None,
            description: None,
            input_schema: json!({"type": "object"}),
            output_schema: None,
            hints: Hints { read_only, destructive, idempotent: None, open_world },
            error_codes: None,
            definition: Value::Null,
            is_checked: false,
        };
        effect(&tool).map(|guess| format!("{}: {}", guess.effect, guess.why)).unwrap_or_default()
    }

    #[test]
    fn hints_come_before_names() {
        let (yes, no) = (Some(true), Some(false));
        let table = [
            ("x", [None, None, None], ""),
            ("get_x", [None, None, None], "read: from `get` in its name"),
            ("deleteFile", [None, None, None], "destructive: from `delete` in its name"),
            ("git_reset", [None, None, None], "destructive: from `reset` in its name"),
            ("get_and_delete_files", [None, None, None], "destructive: from `delete` in its name"),
            ("check_then_purge", [None, None, None], "destructive: from `purge` in its name"),
            ("copy_and_send", [None, None, None], "external: from `send` in its name"),
            ("list_and_show", [None, None, None], "read: from `list` in its name"),
            (
                "create_then_list",
                [no, None, None],
                "mutating: from its hint `readOnlyHint: false` and `create` in its name",
            ),
            ("add_issue", [None, None, yes], "external: from `add` in its name"),
            ("fetch", [None, None, yes], "read: from `fetch` in its name"),
            ("get_x", [None, yes, None], "destructive: from its hint `destructiveHint: true`"),
            ("x", [yes, None, yes], "read: from its hint `readOnlyHint: true`"),
            (
                "delete_x",
                [yes, no, None],
                "read: from its hint `readOnlyHint: true`; but `delete` in its name suggests `destructive`",
            ),
            (
                "x",
                [yes, yes, None],
                "destructive: its hints contradict each other: read-only and destructive",
            ),
            ("get_x", [no, no, None], "mutating: from its hint `destructiveHint: false`"),
            (
                "x",
                [no, no, yes],
                "external: from its hints `destructiveHint: false` and `openWorldHint: true`",
            ),
            (
                "create_x",
                [no, None, None],
                "mutating: from its hint `readOnlyHint: false` and `create` in its name",
            ),
            (
                "get_x",
                [no, None, None],
                "destructive: from its hint `readOnlyHint: false`; without `destructiveHint` it may destroy something",
            ),
        ];
        for (name, hints, expected) in table {
            assert_eq!(guess(name, hints), expected, "{name} {hints:?}");
        }
    }

    #[test]
    fn names_fall_apart_into_words() {
        assert_eq!(words("git_diff-staged"), ["git", "diff", "staged"]);
        assert_eq!(words("readTextFile"), ["read", "text", "file"]);
        assert_eq!(words("HTTPGet__x"), ["httpget", "x"]);
        assert!(words("__").is_empty());
    }
}
