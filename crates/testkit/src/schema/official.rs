//! The official schemas, one for each version. A definition is compiled when it is first used.
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::Validator;
use overt_wire::era::Version;
use serde_json::{Value, json};

/// The schemas of all versions.
#[derive(Debug)]
pub struct Schemas {
    versions: BTreeMap<Version, Official>,
}

/// The schema of one version.
#[derive(Debug)]
pub struct Official {
    version: Version,
    document: Value,
    compiled: Mutex<BTreeMap<String, Arc<Validator>>>,
}

// === impl Schemas ===

impl Schemas {
    pub fn load() -> Arc<Self> {
        let versions = Version::ALL.into_iter().map(|version| (version, Official::load(version))).collect();
        Arc::new(Self { versions })
    }

    pub fn of(&self, version: Version) -> &Official {
        &self.versions[&version]
    }
}

// === impl Official ===

impl Official {
    fn load(version: Version) -> Self {
        let text = match version {
            Version::V2024_11_05 => include_str!("../../schemas/2024-11-05.json"),
            Version::V2025_03_26 => include_str!("../../schemas/2025-03-26.json"),
            Version::V2025_06_18 => include_str!("../../schemas/2025-06-18.json"),
            Version::V2025_11_25 => include_str!("../../schemas/2025-11-25.json"),
            Version::V2026_07_28 => include_str!("../../schemas/2026-07-28.json"),
        };
        let document = serde_json::from_str(text).expect("the official schemas are JSON");
        Self { version, document, compiled: Mutex::default() }
    }

    pub fn has(&self, definition: &str) -> bool {
        self.definitions().get(definition).is_some()
    }

    /// Validates a value. Returns what is wrong with it as an error.
    pub fn check(&self, definition: &str, value: &Value) -> Result<(), String> {
        let validator = self.validator(definition)?;
        if validator.is_valid(value) {
            return Ok(());
        }
        let errors: Vec<String> = validator
            .iter_errors(value)
            .map(|error| format!("at `{}`: {error}", error.instance_path()))
            .collect();
        Err(format!("no {definition} of {}: {}", self.version, errors.join("; ")))
    }

    /// Returns the member of a union, such as `ServerNotification`, for a method.
    pub fn member_for(&self, union: &str, method: &str) -> Option<&str> {
        let members = self.definitions().get(union)?.get("anyOf")?.as_array()?;
        members.iter().find_map(|member| {
            let name = member.get("$ref")?.as_str()?.rsplit('/').next()?;
            let constant = self.definitions().get(name)?.pointer("/properties/method/const")?;
            (constant == method).then_some(name)
        })
    }

    /// Returns the definition of the error response for a code with its own definition, such as
    /// -32022.
    pub fn error_for(&self, code: i64) -> Option<&str> {
        let all = self.definitions().as_object()?;
        all.iter().find_map(|(name, definition)| {
            let constant = definition.pointer("/properties/error/allOf/1/properties/code/const")?;
            (constant.as_i64() == Some(code)).then_some(name.as_str())
        })
    }

    /// Says whether a response of this kind may also be an `InputRequiredResult`.
    pub fn may_need_input(&self, result: &str) -> bool {
        let response = self.definitions().get(format!("{result}Response"));
        response.is_some_and(|response| response.to_string().contains("/InputRequiredResult"))
    }

    fn definitions(&self) -> &Value {
        self.document.get(self.container()).unwrap_or(&Value::Null)
    }

    fn container(&self) -> &'static str {
        if self.document.get("$defs").is_some() { "$defs" } else { "definitions" }
    }

    fn validator(&self, definition: &str) -> Result<Arc<Validator>, String> {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = compiled.get(definition) {
            return Ok(Arc::clone(known));
        }
        if !self.has(definition) {
            return Err(format!("version {} has no `{definition}`", self.version));
        }
        let container = self.container();
        let schema = json!({
            "$schema": self.document["$schema"],
            "allOf": [{ "$ref": format!("#/{container}/{definition}") }],
            container: self.definitions(),
        });
        let validator = jsonschema::options().build(&schema).map_err(|error| error.to_string())?;
        let validator = Arc::new(validator);
        compiled.insert(definition.to_owned(), Arc::clone(&validator));
        Ok(validator)
    }
}
