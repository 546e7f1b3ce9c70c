//! The user's file as a form, item by item. Edits keep everything else in the file; they are the
//! same as those of `overt forbid` and `overt permit`.
use overt_settings::toml_edit::{EditError, remove_from_list, remove_rule};
use overt_settings::toml_file::TomlFile;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::problem::Problem;
use super::file::MOST_EDITED;
use crate::settings::UiSettings;
use overt_operator::policy_edit::SubjectKind;
use overt_operator::policy_edit::{NamedSubject, PolicyChange, added, caution, known_tools, subject, words};

/// The page's request to edit a text. Nothing is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct Edit {
    text: String,
    change: Change,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Change {
    Forbid(About),
    Permit(About),
    RemoveItem(Item),
    RemoveRule(RuleId),
}

/// A tool, a server or a path.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct About {
    kind: Kind,
    what: String,
    /// For a tool: its server, or `None` for every server.
    server: Option<String>,
    /// For a path: only changing it is forbidden, or only reading it permitted.
    #[serde(default)]
    partly: bool,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Tool,
    Server,
    Path,
}

/// An item of a list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    list: String,
    item: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleId {
    id: String,
}

/// The lists of the form, each with its meaning.
const LISTS: [(&str, &str); 6] = [
    ("settings.allow", "Allowed without asking"),
    ("settings.deny", "Refused, whatever else allows it"),
    ("policy.scopes.deny", "Refused for every server, whatever else allows it"),
    ("policy.tools.deny", "Tools that are refused"),
    ("policy.scopes.allow", "Nothing but this is allowed"),
    ("policy.tools.allow", "No tools but these are allowed"),
];
/// The tables that the form covers in part. Their other members are listed by name, so that a
/// reader knows that the form does not show the whole file.
const TABLES: [&str; 3] = ["settings", "policy", "servers"];

/// Returns the form of a text, or `None` if the text is not TOML.
pub(super) fn form(text: &str) -> Option<Value> {
    let file = TomlFile::parse(text).ok()?.value;
    let lists: Vec<Value> = LISTS
        .iter()
        .filter_map(|(list, means)| {
            let items = at(&file, list)?.as_array()?;
            let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            Some(json!({ "list": list, "means": means, "items": items }))
        })
        .collect();
    let rules: Vec<Value> = file
        .get("rules")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|rule| {
            let text = |name: &str| rule.get(name).and_then(Value::as_str);
            let when = rule.get("when").and_then(Value::as_object);
            let when: Vec<String> =
                when.into_iter().flatten().map(|(name, value)| format!("{name} {}", plain(value))).collect();
            Some(json!({
                "id": text("id")?,
                "action": text("action").unwrap_or_default(),
                "when": when.join(", "),
                "reason": text("reason"),
            }))
        })
        .collect();
    Some(json!({ "lists": lists, "rules": rules, "others": others(&file) }))
}

/// Returns the paths of the parts of the file that the form does not show.
fn others(file: &Value) -> Vec<String> {
    let mut others = Vec::new();
    for (table, value) in file.as_object().into_iter().flatten() {
        if table == "rules" {
            continue;
        }
        if !TABLES.contains(&table.as_str()) {
            others.push(table.clone());
            continue;
        }
        for (name, value) in value.as_object().into_iter().flatten() {
            let path = format!("{table}.{name}");
            match value.as_object().filter(|_| table == "policy") {
                Some(inner) => others.extend(inner.keys().map(|inner| format!("{path}.{inner}"))),
                None => others.push(path),
            }
        }
    }
    others.retain(|path| !LISTS.iter().any(|(list, _)| list == path));
    others
}

/// Returns the text with the change, and what the change means.
pub(in super::super) fn edit(settings: &UiSettings, edit: &Edit) -> Result<Value, Problem> {
    let text = edit.text.as_str();
    if text.len() > MOST_EDITED {
        return Err(Problem::new(413, format!("the page edits texts of at most {MOST_EDITED} bytes")));
    }
    let (new, means, warning) = match &edit.change {
        Change::Forbid(about) => {
            add(settings, text, PolicyChange::Forbid { changes_only: about.partly }, about)?
        }
        Change::Permit(about) => {
            add(settings, text, PolicyChange::Permit { reading_only: about.partly }, about)?
        }
        Change::RemoveItem(Item { list, item }) => {
            let path: Vec<&str> = list.split('.').collect();
            let is_known = LISTS.iter().any(|(known, _)| known == list);
            let removed = match is_known {
                true => remove_from_list(text, &path, std::slice::from_ref(item))
                    .map_err(|error| unable(&error))?,
                false => None,
            };
            let gone = || Problem::conflict(format!("`{list}` has no `{item}`"));
            (removed.ok_or_else(gone)?, format!("`{item}` is no longer in `{list}`"), None)
        }
        Change::RemoveRule(RuleId { id }) => {
            let removed = remove_rule(text, id).map_err(|error| unable(&error))?;
            let gone = || Problem::conflict(format!("there is no rule `{id}`"));
            (removed.ok_or_else(gone)?, format!("the rule `{id}` no longer holds"), None)
        }
    };
    Ok(json!({ "text": new, "words": means, "caution": warning }))
}

/// The new text, its meaning, and a warning if the change does less than a person may expect.
type Edited = (String, String, Option<&'static str>);

fn add(settings: &UiSettings, text: &str, change: PolicyChange, about: &About) -> Result<Edited, Problem> {
    let named = NamedSubject {
        what: about.what.trim(),
        kind: Some(match about.kind {
            Kind::Tool => SubjectKind::Tool,
            Kind::Server => SubjectKind::Server,
            Kind::Path => SubjectKind::Path,
        }),
        server: about.server.as_deref().map(str::trim).filter(|server| !server.is_empty()),
        is_removal: false,
    };
    if named.what.is_empty() {
        return Err(Problem::new(400, "name a tool, a server or a path"));
    }
    let needs_server = matches!(change, PolicyChange::Permit { .. });
    let meant =
        subject(named, &known_tools(settings.state.path(), settings.configured.read())?, needs_server)?;
    let new = added(text, change, &meant).map_err(|error| unable(&error))?;
    Ok((new, words(change, &meant, false), caution(&meant)))
}

fn unable(error: &EditError) -> Problem {
    Problem::conflict(format!("the text can't be changed so: {error}")).with_hint("change the text itself")
}

/// Returns the value at a path such as `a.b.c`.
fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(value, |value, name| value.get(name))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
