//! Writes a proposal into the text of a settings file.
use serde_json::Value;

use super::propose::ProposedScope;
use crate::toml_edit::{EditError, ListItem, add_to_list};
use crate::toml_file::TomlFile;
use overt_policy::scope::Scope;

/// Returns the text with the proposed scopes that it does not allow yet; unchanged if there is
/// nothing to add.
pub fn with_allowed(text: &str, proposed: &[ProposedScope]) -> Result<String, EditError> {
    let file = TomlFile::parse(text).map_err(EditError::Unreadable)?.value;
    let list = file.pointer("/settings/allow").and_then(Value::as_array);
    let allowed: Vec<Scope> =
        list.into_iter().flatten().filter_map(|scope| Scope::parse(scope.as_str()?).ok()).collect();
    let is_new = |one: &&ProposedScope| !allowed.iter().any(|scope| scope.covers(&one.scope));
    let items: Vec<ListItem> = proposed.iter().filter(is_new).map(item).collect();
    add_to_list(text, &["settings", "allow"], &items)
}

/// Writes a scope with a comment on the calls on which it is based.
fn item(one: &ProposedScope) -> ListItem {
    let calls = if one.calls == 1 { "1 call".to_owned() } else { format!("{} calls", one.calls) };
    let files = if one.different > 1 { format!(", {} files", one.different) } else { String::new() };
    ListItem { text: one.scope.to_string(), comment: Some(format!("{calls}{files}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spliced(text: &str) -> String {
        let one = |text: &str, calls, different| ProposedScope {
            scope: Scope::parse(text).unwrap(),
            calls,
            different,
        };
        let proposed = [one("execute:mail:send", 2, 1), one("write:file:/p/src", 12, 4)];
        with_allowed(text, &proposed).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    #[test]
    fn only_the_list_changes() {
        let entries = "  \"execute:mail:send\", # 2 calls\n  \"write:file:/p/src\", # 12 calls, 4 files\n";
        assert_eq!(spliced(""), format!("[settings]\nallow = [\n{entries}]\n"));
        assert_eq!(spliced("# mine"), format!("# mine\n\n[settings]\nallow = [\n{entries}]\n"));
        assert_eq!(
            spliced("[settings] # s\naudit = \"strict\"\n"),
            format!("[settings] # s\nallow = [\n{entries}]\naudit = \"strict\"\n")
        );
        assert_eq!(
            spliced("[settings]\nallow = [\"read\"] # r\n[policy]\n"),
            format!("[settings]\nallow = [\"read\",\n{entries}] # r\n[policy]\n")
        );
        assert_eq!(
            spliced("[settings]\nallow = [\n  \"read\", # why, oh why\n]\n"),
            format!("[settings]\nallow = [\n  \"read\", # why, oh why\n{entries}]\n")
        );
        assert_eq!(
            spliced("[settings]\nallow = [\n  \"read\" # why, oh why\n  ]\n"),
            format!(
                "[settings]\nallow = [\n  \"read\", # why, oh why\n{}  ]\n",
                entries.replace("\", # 12", "\" # 12")
            )
        );
        assert_eq!(
            spliced("settings = { allow = [] }\n"),
            format!("settings = {{ allow = [\n{entries}] }}\n")
        );
    }

    #[test]
    fn what_is_allowed_already_is_not_added() {
        let text = "[settings]\nallow = [\"execute:mail\", \"write:file:/p\"]\n";
        assert_eq!(spliced(text), text);
    }

    #[test]
    fn other_forms_are_left_alone() {
        let one = ProposedScope { scope: Scope::parse("read").unwrap(), calls: 1, different: 1 };
        for text in [
            "settings.audit = \"off\"\n",
            "settings = { audit = \"off\" }\n",
            "[settings]\nallow = 3\n",
            "x =",
        ] {
            assert!(with_allowed(text, std::slice::from_ref(&one)).is_err(), "{text}");
        }
    }
}
