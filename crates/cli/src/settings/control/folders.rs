//! Settings that name folders. Their paths are made absolute and canonical before any other code
//! sees them, so that a path has one meaning. Relative paths start at the current directory or, in
//! a file, at the folder of that file.
use std::io;
use std::path::Path;

use overt_settings::Regions;
use overt_settings::{Kind, List, Origin, Setting, SettingValue, SettingValues, SourceValues};
use serde_json::{Value, json};

use super::shield::Shield;
use super::table::{AUDIT_CHECKPOINT_FILE, AUDIT_DIR, GRANTABLE, ROOTS};

pub(super) fn is_folders(setting: &Setting) -> bool {
    [ROOTS, GRANTABLE].contains(&setting.key)
}

/// Whether the values of a setting are paths.
pub(crate) fn names_paths(setting: &Setting) -> bool {
    is_folders(setting) || [AUDIT_DIR, AUDIT_CHECKPOINT_FILE].contains(&setting.key)
}

/// The placeholder for the value in help and docs.
pub(crate) fn placeholder(setting: &Setting) -> &'static str {
    if is_folders(setting) { "DIR" } else { setting.kind.placeholder() }
}

/// Parses the words of a setting. Each word is one folder; patterns must be written as JSON.
pub(super) fn parse(setting: &Setting, words: &[String]) -> Result<SettingValue, String> {
    let here = Path::new("");
    let (found, wrong): (Vec<_>, Vec<_>) = words.iter().map(|word| real(here, word)).partition(Result::is_ok);
    let wrong: Vec<String> = wrong.into_iter().filter_map(Result::err).collect();
    if !wrong.is_empty() {
        return Err(wrong.join("; "));
    }
    let folders: Vec<String> = found.into_iter().flatten().collect();
    match setting.kind {
        Kind::Regions => Ok(SettingValue::Regions(regions(&json!(folders))?)),
        _ => Ok(SettingValue::List(folders.into_iter().collect())),
    }
}

/// Parses the value of a variable: JSON as in the file, or folders separated by commas.
pub(super) fn parse_variable(setting: &Setting, text: &str) -> Result<SettingValue, String> {
    if setting.kind == Kind::Regions && text.trim_start().starts_with('[') {
        let value: Value = overt_wire::json::Json::parse(text)
            .map_err(|fault| fault.to_string())
            .and_then(|json| json.read().map_err(|error| error.to_string()))
            .map_err(|fault| format!("is not JSON: {fault}"))?;
        return Ok(SettingValue::Regions(regions(&here(value)?)?));
    }
    let words = text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned);
    parse(setting, &words.collect::<Vec<_>>())
}

/// Makes the folders in a list in the file's format canonical.
fn here(mut value: Value) -> Result<Value, String> {
    for item in value.as_array_mut().into_iter().flatten() {
        let path = if item.is_object() { item.get_mut("path") } else { Some(item) };
        if let Some(Value::String(path)) = path {
            *path = real(Path::new(""), path)?;
        }
    }
    Ok(value)
}

/// Returns the values with canonical folders, relative to the file that names them. If no root is
/// named, the current directory is the root.
pub(super) fn with_canonical_folders(
    values: &SettingValues,
    shield: &Shield,
    problems: &mut Vec<String>,
) -> SettingValues {
    let mut given = SourceValues::default();
    let declared = std::sync::Arc::clone(values.declared());
    for setting in declared.iter().filter(|setting| is_folders(setting)) {
        let origin = values.origin(setting.key).cloned().unwrap_or_default();
        let held = match (values.value_of(setting.key), &origin) {
            (None, _) if setting.kind == Kind::Regions => parse(setting, &[".".to_owned()]),
            (Some(held), Origin::File { path, .. }) => {
                in_file(held, Path::new(path).parent().unwrap_or(Path::new("")))
            }
            _ => continue,
        };
        match held {
            Ok(held) => given.set(setting.key, held, origin),
            Err(problem) => problems.push(format!("`{}` in {origin}: {problem}", setting.key)),
        }
    }
    let values = values.over(given);
    let Some(SettingValue::Regions(roots)) = values.value_of(ROOTS) else { return values };
    let origin = values.origin(ROOTS).cloned().unwrap_or_default();
    if roots.folders().any(|layer| layer.is_empty()) {
        problems.push(format!(
            "`{ROOTS}` in {origin}: names no folder; name one, or leave it out for the current directory"
        ));
    }
    let mut given = SourceValues::default();
    if let Some(roots) = shield.over(&values, problems) {
        given.set(ROOTS, roots, origin);
    }
    values.over(given)
}

fn in_file(held: &SettingValue, folder: &Path) -> Result<SettingValue, String> {
    match held {
        SettingValue::Regions(regions) => placed_regions(regions, folder).map(SettingValue::Regions),
        SettingValue::List(list) => {
            list.iter().map(|path| real(folder, path)).collect::<Result<List, _>>().map(SettingValue::List)
        }
        other => Ok(other.clone()),
    }
}

fn placed_regions(regions: &Regions, base: &Path) -> Result<Regions, String> {
    let placed = regions.with_paths(|path| real(base, path))?;
    placed.ok_or_else(|| "a folder has a path that can't be compared".to_owned())
}

fn regions(value: &Value) -> Result<Regions, String> {
    Regions::parse(value).map_err(|findings| {
        let said: Vec<String> = findings.iter().map(ToString::to_string).collect();
        said.join("; ")
    })
}

/// Returns the canonical path of a folder. The error also says what to do.
fn real(base: &Path, path: &str) -> Result<String, String> {
    let wrong = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => {
            format!("`{path}`: it does not exist; create it with `mkdir`, or name a directory that is there")
        }
        _ => format!("`{path}`: it can't be opened: {error}"),
    };
    // The empty path denotes the folder at which relative paths start.
    let wanted = if path.is_empty() { base.join(".") } else { base.join(path) };
    let real = std::fs::canonicalize(wanted).map_err(wrong)?;
    if !real.is_dir() {
        return Err(format!("`{path}`: it is not a directory; name the directory that it is in"));
    }
    let text = real.to_str().map(str::to_owned);
    text.ok_or_else(|| format!("`{path}`: its name is not UTF-8, which no client could write; rename it"))
}
