//! The proposal in the text of a settings file. Only the list `allow` gets new entries: every other byte stays, and the outcome is
//! parsed and compared before anybody gets it.
use serde_json::Value;
use toml::de::{DeTable, DeValue};

use super::propose::Proposed;
use crate::scope::Scope;
use crate::toml_file::{FileError, TomlFile};

/// The file can't be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpliceError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("the table `settings` is written in a form that can't be added to")]
    Form,
}

/// The text with what is proposed and not allowed by it yet. The same text if there is nothing to add.
pub fn with_allowed(text: &str, proposed: &[Proposed]) -> Result<String, SpliceError> {
    let before = TomlFile::parse(text)?.value;
    let allowed = allowed(&before);
    let is_new = |one: &&Proposed| !allowed.iter().any(|scope| scope.covers(&one.scope));
    let new: Vec<&Proposed> = proposed.iter().filter(is_new).collect();
    if new.is_empty() {
        return Ok(text.to_owned());
    }
    let entries: String = new.iter().map(|one| entry(one)).collect();
    let spliced = match place(text)? {
        Place::Into { last_end, closing } => {
            let comma = match last_end {
                Some(end) if !has_comma(&text[end..closing]) => {
                    format!("{},{}", &text[..end], &text[end..closing])
                }
                _ => text[..closing].to_owned(),
            };
            let before = comma.trim_end_matches([' ', '\t']);
            let line_break = if before.ends_with('\n') { "" } else { "\n" };
            format!("{before}{line_break}{entries}{}", &text[closing..])
        }
        Place::After(end) => format!("{}allow = [\n{entries}]\n{}", &text[..end], &text[end..]),
        Place::AtEnd => {
            let gap = match text {
                "" => "",
                text if text.ends_with('\n') => "\n",
                _ => "\n\n",
            };
            format!("{text}{gap}[settings]\nallow = [\n{entries}]\n")
        }
    };
    if is_as_meant(&before, &TomlFile::parse(&spliced)?.value, &new) {
        Ok(spliced)
    } else {
        Err(SpliceError::Form)
    }
}

/// One entry of the list on a line, with what it rests on.
fn entry(one: &Proposed) -> String {
    let calls = if one.calls == 1 { "1 call".to_owned() } else { format!("{} calls", one.calls) };
    let files = if one.different > 1 { format!(", {} files", one.different) } else { String::new() };
    format!("  {}, # {calls}{files}\n", Value::String(one.scope.to_string()))
}

/// Where the entries go.
enum Place {
    /// Into the list, before its closing bracket.
    Into { last_end: Option<usize>, closing: usize },
    /// A list of their own, after the header of the table.
    After(usize),
    /// A table of their own.
    AtEnd,
}

fn place(text: &str) -> Result<Place, SpliceError> {
    let table = DeTable::parse(text).map_err(|_| SpliceError::Form)?;
    let Some(settings) = table.get_ref().get("settings") else { return Ok(Place::AtEnd) };
    let DeValue::Table(settings) = settings.get_ref() else { return Err(SpliceError::Form) };
    if let Some(allow) = settings.get("allow") {
        let DeValue::Array(list) = allow.get_ref() else { return Err(SpliceError::Form) };
        let closing = allow.span().end.checked_sub(1).filter(|end| text[*end..].starts_with(']'));
        let last_end = list.iter().last().map(|last| last.span().end);
        return Ok(Place::Into { last_end, closing: closing.ok_or(SpliceError::Form)? });
    }
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        let header = line.split('#').next().unwrap_or_default();
        if header.replace([' ', '\t', '\r', '\n'], "") == "[settings]" && line.ends_with('\n') {
            return Ok(Place::After(end));
        }
    }
    Err(SpliceError::Form)
}

/// Whether a comma follows the last element, before any comment.
fn has_comma(rest: &str) -> bool {
    rest.split('#').next().is_some_and(|rest| rest.contains(','))
}

fn allowed(file: &Value) -> Vec<Scope> {
    let list = file.pointer("/settings/allow").and_then(Value::as_array);
    list.into_iter().flatten().filter_map(|scope| Scope::parse(scope.as_str()?).ok()).collect()
}

/// Whether only the list was changed, and only by the new entries.
fn is_as_meant(before: &Value, after: &Value, new: &[&Proposed]) -> bool {
    let list =
        |file: &Value| file.pointer("/settings/allow").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut wanted = list(before);
    wanted.extend(new.iter().map(|one| Value::String(one.scope.to_string())));
    let rest = |file: &Value| {
        let mut file = file.clone();
        if let Some(Value::Object(settings)) = file.get_mut("settings") {
            settings.remove("allow");
        }
        if file.get("settings").and_then(Value::as_object).is_some_and(serde_json::Map::is_empty)
            && let Value::Object(file) = &mut file
        {
            file.remove("settings");
        }
        file
    };
    list(after) == wanted && rest(before) == rest(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spliced(text: &str) -> String {
        let one =
            |text: &str, calls, different| Proposed { scope: Scope::parse(text).unwrap(), calls, different };
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
            format!("[settings]\nallow = [\n  \"read\", # why, oh why\n{entries}]\n")
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
        let one = Proposed { scope: Scope::parse("read").unwrap(), calls: 1, different: 1 };
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
