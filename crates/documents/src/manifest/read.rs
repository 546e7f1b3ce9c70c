//! Reads a manifest, and reports everything that is wrong at once, with lines.
use serde_json::{Map, Value};

use super::{server, tool};
use overt_policy::finding::{Finding, Findings, Pointer, Severity};
use overt_policy::members::{Members, kind};
use overt_policy::record::{Declaration, ResourceRecord};
use overt_policy::scope::ScopeTemplate;
use overt_policy::uri::UriTemplate;
use overt_settings::config;
use overt_settings::toml_file::{FileError, TomlFile, ValuePositions};

/// A manifest that was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Manifest {
    /// The declaration, without guesses.
    pub declaration: Declaration,
    /// The places of fields that were guessed and are not confirmed yet.
    pub guesses: Vec<Pointer>,
    places: ValuePositions,
}

impl Manifest {
    pub fn parse(text: &str) -> Result<Self, FileError> {
        let TomlFile { mut value, places, mut findings } = TomlFile::parse(text)?;
        // The scan comes before any part of the text can be shown, even in an error (D-30).
        let secrets = Findings::of_secrets(&value);
        if secrets.has_errors() {
            return Err(FileError::Wrong { findings: places.locate(secrets) });
        }
        let mut guesses = Vec::new();
        without_guesses(&mut value, &mut guesses, &mut findings);
        let declaration =
            Members::of(&value, Pointer::root(), &mut findings).map(|mut members| read(&mut members));
        let manifest = Self { declaration: declaration.unwrap_or_default(), guesses, places };
        if findings.has_errors() {
            return Err(FileError::Wrong { findings: manifest.places.locate(findings) });
        }
        Ok(manifest)
    }

    /// Returns the findings with the line of each.
    pub fn locate(&self, findings: Findings) -> Vec<(Option<usize>, Finding)> {
        self.places.locate(findings)
    }

    /// Returns the line of a value, or of the nearest value around it.
    pub fn line(&self, at: &Pointer) -> Option<usize> {
        self.places.line(at)
    }
}

fn read(members: &mut Members<'_, '_>) -> Declaration {
    let declaration = Declaration {
        server: members.object("server", server::read).unwrap_or_default(),
        tools: members
            .map("tools", |_, value, at, findings| Some(tool::read(&mut Members::of(value, at, findings)?)))
            .unwrap_or_default(),
        resources: members
            .map("resources", |uri, value, at, findings| {
                let record = resource(&mut Members::of(value, at.clone(), findings)?);
                check_template(uri, &record, at, findings);
                Some(record)
            })
            .unwrap_or_default(),
    };
    if members.raw("server").is_none() {
        members.missing("server", "write a table `[server]` with a `description`");
    }
    // These tables belong to the configuration, which may be in the same file.
    for table in config::TABLES {
        members.raw(table);
    }
    members.unknown(Severity::Error);
    declaration
}

fn resource(members: &mut Members<'_, '_>) -> ResourceRecord {
    let record = ResourceRecord {
        scopes: scopes(members),
        resource_type: members.text("resource_type"),
        refreshable: members.flag("refreshable"),
        cache_duration: members.integer("cache_duration"),
        web_equivalent: members.url("web_equivalent"),
        api_equivalent: members.text("api_equivalent"),
    };
    members.unknown(Severity::Error);
    record
}

fn scopes(members: &mut Members<'_, '_>) -> Vec<ScopeTemplate> {
    let texts = members.texts("scopes").unwrap_or_default();
    let at = members.at("scopes");
    let mut scopes = Vec::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        match ScopeTemplate::parse(text) {
            Ok(scope) => scopes.push(scope),
            Err(error) => {
                let problem = format!("is not a scope: {error}");
                members.findings().error(at.index(index), problem, "write one such as `read:db:{table}`");
            }
        }
    }
    scopes
}

/// Checks that Overt can match the URI template, because the scopes of a template contain its
/// variables.
fn check_template(uri: &str, record: &ResourceRecord, at: Pointer, findings: &mut Findings) {
    if record.scopes.is_empty() {
        return;
    }
    match UriTemplate::parse(uri) {
        Err(why) => findings.error(
            at,
            format!("is not a URI template: {why}"),
            "write one such as `db://{table}/rows`",
        ),
        Ok(template) => {
            let names = record.scopes.iter().flat_map(ScopeTemplate::arguments);
            if let Some(name) = names.into_iter().find(|name| !template.has_variable(name)) {
                let problem = format!("has no variable `{name}`, which a scope of it names");
                findings.error(at.join("scopes"), problem, "use variables of the template in its scopes");
            }
        }
    }
}

/// Removes the fields that a table's `guessed` list names, and records their places. No document
/// contains a guess.
fn without_guesses(manifest: &mut Value, guesses: &mut Vec<Pointer>, findings: &mut Findings) {
    let root = Pointer::root();
    let Value::Object(manifest) = manifest else { return };
    if let Some(Value::Object(server)) = manifest.get_mut("server") {
        take(server, &root.join("server"), guesses, findings);
    }
    for kind in ["tools", "resources"] {
        let Some(Value::Object(tables)) = manifest.get_mut(kind) else { continue };
        for (name, table) in tables {
            if let Value::Object(table) = table {
                take(table, &root.join(kind).join(name), guesses, findings);
            }
        }
    }
}

fn take(table: &mut Map<String, Value>, at: &Pointer, guesses: &mut Vec<Pointer>, findings: &mut Findings) {
    let Some(guessed) = table.shift_remove("guessed") else { return };
    let at_list = at.join("guessed");
    let fix = "write a list of names of fields of this table, such as `[\"effect\"]`";
    let Value::Array(names) = guessed else {
        findings.error(at_list, format!("must be a list, but is {}", kind(&guessed)), fix);
        return;
    };
    for (index, name) in names.iter().enumerate() {
        // A misspelt name is an error, because it would publish the guess that it should mark.
        match name.as_str() {
            Some(name) if table.shift_remove(name).is_some() => guesses.push(at.join(name)),
            _ => findings.error(at_list.index(index), "is not a field of this table", fix),
        }
    }
}
