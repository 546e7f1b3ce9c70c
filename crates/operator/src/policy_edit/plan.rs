//! The edit of the user's file, and its meaning in words.
use overt_policy::scope::{Action, Scope};
use overt_settings::toml_edit::{
    DenyRule, EditError, ListItem, add_rule, add_to_list, remove_empty_list, remove_from_list, remove_rule,
};
use overt_settings::toml_file::TomlFile;
use serde_json::{Value, json};

use super::subject::Subject;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolicyChange {
    Forbid {
        /// For a path: only changing it is forbidden.
        changes_only: bool,
    },
    Permit {
        /// For a path: only reading it is permitted.
        reading_only: bool,
    },
}

/// The paths of the lists that are edited.
const DENIED: [&str; 3] = ["policy", "scopes", "deny"];
const ALLOWED: [&str; 2] = ["settings", "allow"];
/// What is allowed without a list. A list that Overt adds must keep allowing it.
const ALLOWED_ANYWAY: &str = "read";
/// The comment after that item. It marks the list as one that Overt added.
const OWN_LIST: &str = "allowed without this list, too";

/// Returns the text with the change, or unchanged if the text already says this.
pub fn added(text: &str, change: PolicyChange, subject: &Subject) -> Result<String, EditError> {
    match change {
        PolicyChange::Permit { .. } => {
            let anyway = ListItem { text: ALLOWED_ANYWAY.to_owned(), comment: Some(OWN_LIST.to_owned()) };
            let anyway = allowed(text)?.is_none().then_some(anyway);
            let scopes = scopes(change, subject).into_iter().map(ListItem::from);
            add_to_list(text, &ALLOWED, &anyway.into_iter().chain(scopes).collect::<Vec<_>>())
        }
        PolicyChange::Forbid { .. } => {
            let text = match rule(subject) {
                Some(rule) => add_rule(text, &rule)?,
                None => text.to_owned(),
            };
            match scopes(change, subject) {
                scopes if scopes.is_empty() => Ok(text),
                scopes => {
                    let items: Vec<ListItem> = scopes.into_iter().map(ListItem::from).collect();
                    add_to_list(&text, &DENIED, &items)
                }
            }
        }
    }
}

/// Returns the text without the change, or `None` if the text does not contain the change.
pub fn removed(text: &str, change: PolicyChange, subject: &Subject) -> Result<Option<String>, EditError> {
    let scopes = scopes(change, subject);
    match change {
        PolicyChange::Permit { .. } => {
            remove_from_list(text, &ALLOWED, &scopes)?.map(|text| without_own_list(&text)).transpose()
        }
        PolicyChange::Forbid { .. } => {
            let without_scopes = remove_from_list(text, &DENIED, &scopes)?;
            let without_scopes = without_scopes.map(|text| remove_empty_list(&text, &DENIED)).transpose()?;
            let before = without_scopes.as_deref().unwrap_or(text);
            let without_rule = match rule(subject) {
                Some(rule) => remove_rule(before, &rule.id)?,
                None => None,
            };
            Ok(without_rule.or(without_scopes))
        }
    }
}

/// Returns the list of what the file allows, or `None` if the file has no such list.
fn allowed(text: &str) -> Result<Option<Value>, EditError> {
    let file = TomlFile::parse(text).map_err(EditError::Unreadable)?;
    Ok(ALLOWED.iter().try_fold(&file.value, |value, name| value.get(name)).cloned())
}

/// Removes a list that Overt added if it allows no more than having no list.
fn without_own_list(text: &str) -> Result<String, EditError> {
    let mark = format!("\"{ALLOWED_ANYWAY}\", # {OWN_LIST}");
    let is_own = text.lines().any(|line| line.trim() == mark);
    if !is_own || allowed(text)? != Some(json!([ALLOWED_ANYWAY])) {
        return Ok(text.to_owned());
    }
    match remove_from_list(text, &ALLOWED, &[ALLOWED_ANYWAY.to_owned()])? {
        Some(text) => remove_empty_list(&text, &ALLOWED),
        None => Ok(text.to_owned()),
    }
}

/// Describes what is in force after the change.
pub fn words(change: PolicyChange, subject: &Subject, is_removal: bool) -> String {
    let what = match subject {
        Subject::Tool { name, server: None } => format!("tool `{name}` of every server"),
        Subject::Tool { name, server: Some(server) } => format!("tool `{name}` of server `{server}`"),
        Subject::Server(server) => format!("everything of server `{server}`"),
        Subject::Path(path) => match change {
            PolicyChange::Forbid { changes_only: true } => format!("changing `{path}`"),
            PolicyChange::Permit { reading_only: true } => format!("reading `{path}`"),
            PolicyChange::Forbid { .. } | PolicyChange::Permit { .. } => {
                format!("reading and changing `{path}`")
            }
        },
    };
    match (change, is_removal) {
        (PolicyChange::Forbid { .. }, false) => format!("{what} is refused, whatever else allows it"),
        (PolicyChange::Forbid { .. }, true) => format!("{what} is no longer forbidden by you"),
        (PolicyChange::Permit { .. }, false) => {
            format!("{what} needs no approval, unless it is denied or a rule asks")
        }
        (PolicyChange::Permit { .. }, true) => format!("{what} needs approval again"),
    }
}

/// Returns a warning if the change does less than a person may expect.
pub fn caution(subject: &Subject) -> Option<&'static str> {
    match subject {
        Subject::Path(_) => Some(
            "Overt knows the paths of `overt fs` and of servers whose manifest declares them; for other servers forbid or permit \
             the tool or the server",
        ),
        Subject::Tool { .. } | Subject::Server(_) => None,
    }
}

fn scopes(change: PolicyChange, subject: &Subject) -> Vec<String> {
    let all = [Action::Read, Action::Write, Action::Execute];
    let scopes: Vec<Scope> = match (change, subject) {
        (PolicyChange::Forbid { changes_only }, Subject::Path(path)) => {
            let actions = all.into_iter().filter(|action| *action != Action::Read || !changes_only);
            actions.map(|action| Scope::of_path(action, FILE, path)).collect()
        }
        (PolicyChange::Permit { reading_only }, Subject::Path(path)) => {
            let actions = [Action::Read, Action::Write].into_iter();
            let actions = actions.filter(|action| *action == Action::Read || !reading_only);
            actions.map(|action| Scope::of_path(action, FILE, path)).collect()
        }
        // This covers resources and prompts; rules cover only tools.
        (PolicyChange::Forbid { .. }, Subject::Server(server)) => {
            vec![Scope::of_server(Action::Read, server)]
        }
        (PolicyChange::Forbid { .. }, Subject::Tool { .. }) => Vec::new(),
        (PolicyChange::Permit { .. }, Subject::Server(server)) => {
            all.into_iter().map(|action| Scope::of_server(action, server)).collect()
        }
        (PolicyChange::Permit { .. }, Subject::Tool { name, server }) => {
            let server = server.as_deref().unwrap_or_default();
            all.into_iter().map(|action| Scope::of_tool(action, server, name)).collect()
        }
    };
    scopes.iter().map(ToString::to_string).collect()
}

/// The scope kind of files.
const FILE: &str = "file";

pub fn rule(subject: &Subject) -> Option<DenyRule> {
    let (id, server, tool) = match subject {
        Subject::Path(_) => return None,
        Subject::Server(server) => (format!("forbid server {server}"), Some(server.clone()), None),
        Subject::Tool { name, server: None } => (format!("forbid tool {name}"), None, Some(name.clone())),
        Subject::Tool { name, server: Some(server) } => {
            (format!("forbid tool {name} of {server}"), Some(server.clone()), Some(name.clone()))
        }
    };
    Some(DenyRule { id, server, tool, reason: "the user forbids it".to_owned() })
}

/// Returns the command that removes a rule, if `overt forbid` wrote a rule with this id.
pub fn removal_of_forbidden(rule: &str) -> Option<String> {
    let (kind, name) = rule.strip_prefix("forbid ")?.split_once(' ')?;
    let words = match (kind, name.split_once(" of ")) {
        ("tool", Some((tool, server))) => format!("{} --server {}", quoted(tool), quoted(server)),
        ("tool" | "server", _) => format!("{} --as {kind}", quoted(name)),
        _ => return None,
    };
    Some(format!("overt forbid {words} --remove"))
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = word.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-./:@".contains(letter));
    if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}
