//! The part of `overt.toml` that says what may be done: `[settings]`, `[policy]` and `[[rules]]`.
//! The manifest reads the rest.
use serde_json::Value;

use crate::toml_file::{FileError, LineColumn, TomlFile, ValuePositions};
use crate::{Author, DeclaredSettings, Origin, PolicyFields, SourceValues};
use overt_policy::finding::{Finding, Findings, Pointer, Severity};
use overt_policy::members::{Members, kind};
use overt_policy::policy::Policy;
use overt_policy::rule::Rules;
use overt_policy::{lint_policy, lint_rules};

/// The content of the file, as far as it is read here.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Config {
    pub settings: SourceValues,
    /// The operator's ceiling.
    pub policy: Policy,
    pub rules: Rules,
}

/// The tables that this module reads.
pub const TABLES: [&str; 3] = ["settings", "policy", "rules"];
/// The tables that the manifest reads.
const MANIFEST: [&str; 3] = ["server", "tools", "resources"];
/// The table of a person's decisions about servers, which the command line reads.
const DECISIONS: &str = "servers";

/// Returns whether a text configures Overt and declares nothing about a server: it has a
/// configuration table and no manifest table.
pub fn is_configuration(text: &str) -> bool {
    let Ok(TomlFile { value, .. }) = TomlFile::parse(text) else { return false };
    let has = |tables: &[&str]| tables.iter().any(|table| value.get(table).is_some());
    !has(&MANIFEST) && (has(&TABLES) || has(&[DECISIONS]))
}

impl Config {
    /// Reads a file, or returns all its errors at once, each with its line. `path` names the file
    /// in the origin of each value.
    pub fn parse(text: &str, path: &str, declared: &DeclaredSettings) -> Result<Self, FileError> {
        let (config, places, findings) = Self::read(text, path, declared)?;
        if findings.has_errors() {
            return Err(FileError::Wrong { findings: places.locate(findings) });
        }
        Ok(config)
    }

    /// Returns every error and warning about a file, each with its place. Fails only if the file is
    /// not TOML.
    pub fn check(
        text: &str,
        declared: &DeclaredSettings,
    ) -> Result<Vec<(Option<LineColumn>, Finding)>, FileError> {
        let (config, places, mut findings) = Self::read(text, "", declared)?;
        let [_, policy, rules] = TABLES.map(|table| Pointer::root().join(table));
        findings.extend(lint_policy(&config.policy, &policy));
        findings.extend(lint_rules(&config.rules, &rules));
        let mut located: Vec<(Option<LineColumn>, Finding)> =
            findings.into_iter().map(|finding| (places.place(&finding.at), finding)).collect();
        located.sort_by_key(|(place, _)| *place);
        Ok(located)
    }

    fn read(
        text: &str,
        path: &str,
        declared: &DeclaredSettings,
    ) -> Result<(Self, ValuePositions, Findings), FileError> {
        let TomlFile { value, places, mut findings } = TomlFile::parse(text)?;
        // A value that JSON can't represent is an error in every table, including those that this
        // module does not read.
        let mut config = Self::default();
        if let Some(mut members) = Members::of(&value, Pointer::root(), &mut findings) {
            config = read(&mut members, path, &places, declared);
        }
        Ok((config, places, findings))
    }
}

fn read(
    members: &mut Members<'_, '_>,
    path: &str,
    places: &ValuePositions,
    declared: &DeclaredSettings,
) -> Config {
    let mut config = Config::default();
    let [settings, policy, rules] = TABLES;
    if let Some(table) = members.raw(settings) {
        let at = members.at(settings);
        let origin = |at: &Pointer| Origin::File { path: path.to_owned(), line: places.line(at) };
        match table {
            Value::Object(table) => config.settings = declared.read(table, &at, origin, members.findings()),
            other => wrong(other, at, "write a table `[settings]`", members.findings()),
        }
    }
    if let Some(table) = members.raw(policy) {
        let fields = PolicyFields { declared, author: Author::Human };
        let at = members.at(policy);
        config.policy = Policy::read(table, at, &fields, members.findings()).unwrap_or_default();
    }
    if let Some(list) = members.raw(rules) {
        let at = members.at(rules);
        config.rules = Rules::read(list, &at, members.findings());
    }
    for table in MANIFEST.into_iter().chain([DECISIONS]) {
        members.raw(table);
    }
    members.unknown(Severity::Error);
    config
}

fn wrong(value: &Value, at: Pointer, fix: &str, findings: &mut Findings) {
    findings.error(at, format!("must be a table, but is {}", kind(value)), fix);
}
