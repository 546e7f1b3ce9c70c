//! The file of the project, which overlays the user's own: whether it only restricts, or the places
//! where it would allow more.
use std::path::{Path, PathBuf};
use std::sync::Arc;

use overt_policy::{Finding, Pointer};
use overt_settings::config::Config;
use overt_settings::toml_file::TomlFile;
use overt_settings::{SettingValues, Source};
use serde_json::{Value, json};

use super::file::finding_json;
use crate::settings::{OfFiles, OfRun, Table as _, UiSettings};
use overt_operator::replace_file::read_if_any;

/// The name of the settings file in a project's folder.
const IN_PROJECT: &str = "overt.toml";

/// Compares the project's file with the user's. Null if the project has no such file.
pub(super) fn overlay(settings: &UiSettings, user_text: &str) -> Value {
    let Some(path) = path(settings) else { return Value::Null };
    let name = path.display().to_string();
    let said = |problem: String| json!({ "path": name, "problem": problem, "widens": [] });
    let text = match read_if_any(&path) {
        Ok(Some(text)) => text,
        Ok(None) => return Value::Null,
        Err(error) => return said(format!("it can't be read: {error}")),
    };
    match places_that_widen(&text, user_text) {
        Ok(widens) => json!({ "path": name, "problem": null, "widens": widens }),
        Err(why) => said(why),
    }
}

/// Returns the file that the environment names, or the one in the project's folder.
fn path(settings: &UiSettings) -> Option<PathBuf> {
    let named = settings.audit.sources.file().map(Path::to_owned);
    named.or_else(|| settings.project.as_ref().map(|project| Path::new(project).join(IN_PROJECT)))
}

fn places_that_widen(text: &str, user_text: &str) -> Result<Vec<Value>, String> {
    let declared = OfFiles::declared();
    let said = |whose: &str, error: &dyn std::fmt::Display| format!("{whose} can't be used: {error}");
    let user = Config::parse(user_text, "", &declared).map_err(|error| said("your own file", &error))?;
    let config = Config::parse(text, "", &declared).map_err(|error| said("it", &error))?;
    let TomlFile { value, places, .. } = TomlFile::parse(text).map_err(|error| said("it", &error))?;
    let mut found: Vec<Finding> = config.policy.widens(&user.policy).into_iter().collect();
    found.iter_mut().for_each(|finding| finding.at = below("policy", &finding.at));
    let values =
        SettingValues::defaults(Arc::new(OfRun::declared())).over(user.settings).capped_by(&user.policy);
    if let Some(table) = value.get("settings").and_then(Value::as_object)
        && let Err(refused) = values.narrowed_by(table, Source::Configuration)
    {
        let wider = refused.wider.into_iter();
        found.extend(wider.map(|finding| Finding { at: below("settings", &finding.at), ..finding }));
    }
    Ok(found.iter().map(|finding| finding_json(places.place(&finding.at), finding)).collect())
}

/// Converts a place in a table to the place in the whole file.
fn below(table: &str, at: &Pointer) -> Pointer {
    let root = Pointer::root().join(table);
    Pointer::parse(&format!("{}{}", root.as_str(), at.as_str())).unwrap_or(root)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, user: &str) -> Vec<u64> {
        let widens = places_that_widen(text, user).unwrap();
        widens.iter().map(|one| one["line"].as_u64().unwrap()).collect()
    }

    #[test]
    fn what_allows_more_than_the_user_is_found_with_its_line() {
        let user = "[settings]\nallow = [\"read:file:/srv\"]\n\n[policy]\neffect = \"mutating\"\n\n[policy.tools]\nallow = [\"get_*\"]\n";
        let wider = "[settings]\ndeny = [\"write\"]\nallow = [\"read\"]\n\n[policy]\neffect = \"destructive\"\ntools.allow = [\"get_user\", \"put_*\"]\n";
        assert_eq!(lines(wider, user), [7, 6, 3]);
        let narrower = "[settings]\nallow = [\"read:file:/srv/site\"]\ndeny = [\"write\"]\n\n[policy]\neffect = \"read\"\ntools.allow = [\"get_user\"]\n\n[[rules]]\nid = \"a\"\naction = \"deny\"\n";
        assert_eq!(lines(narrower, user), Vec::<u64>::new());
    }

    #[test]
    fn a_file_that_cant_be_used_says_why() {
        assert!(places_that_widen("[policy", "").unwrap_err().contains("it can't be used: line 1"));
        assert!(places_that_widen("", "[policy").unwrap_err().contains("your own file"));
    }
}
