//! Reads regions: a list whose entries are paths, or objects with a path and restrictions.
use serde_json::Value;

use super::model::{Region, Regions};
use super::path::Path;
use super::patterns::{Patterns, Role};
use overt_policy::finding::{Findings, Pointer, Severity};
use overt_policy::members::{Members, brief, kind};

const MOST_REGIONS: usize = 256;
/// The most patterns of all regions together (FS-24).
const MOST_PATTERNS: usize = 1024;

impl Regions {
    pub fn parse(value: &Value) -> Result<Self, Findings> {
        let mut findings = Findings::default();
        let regions = Self::read(value, &Pointer::root(), &mut findings);
        if findings.has_errors() { Err(findings) } else { Ok(regions) }
    }

    /// Reads the regions at this place of a document. Null restricts nothing, and an empty list
    /// allows nothing.
    pub fn read(value: &Value, at: &Pointer, findings: &mut Findings) -> Self {
        let items = match value {
            Value::Null => return Self::top(),
            Value::Array(items) if items.len() <= MOST_REGIONS => items,
            other => {
                let problem =
                    format!("must be a list of at most {MOST_REGIONS} folders, but is {}", kind(other));
                findings.error(at.clone(), problem, "write a list of paths");
                return Self::top();
            }
        };
        let count = items.iter().map(count_patterns).sum::<usize>();
        if count > MOST_PATTERNS {
            let problem = format!("has {count} patterns; at most {MOST_PATTERNS} are allowed");
            findings.error(at.clone(), problem, "write fewer, such as one for a whole folder");
            return Self::top();
        }
        let mut layer: Vec<Region> = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            layer.extend(region(item, index, at.index(index), findings));
        }
        layer.sort();
        layer.dedup();
        Self { layers: vec![layer] }
    }
}

fn region(item: &Value, index: usize, at: Pointer, findings: &mut Findings) -> Option<Region> {
    if let Value::String(text) = item {
        let path = path(text, at, findings)?;
        return Some(Region { index, ..Region::of_folder(path) });
    }
    let item = Value::Object(item.as_object().map(without_nulls).or_else(|| {
        let problem = format!("must be a path or an object, but is {}", kind(item));
        findings.error(at.clone(), problem, "write a path");
        None
    })?);
    let mut members = Members::of(&item, at, findings)?;
    let text = members.required_text("path", "say which folder");
    let allow = patterns(&mut members, "allow", Role::Allow);
    let deny = patterns(&mut members, "deny", Role::Deny);
    let immutable = patterns(&mut members, "immutable", Role::Deny);
    let blocked = members.flag("blocked").unwrap_or(false);
    let is_default = members.flag("default").unwrap_or(false);
    members.unknown(Severity::Error);
    let place = members.at("path");
    let path = path(&text?, place, members.findings())?;
    Some(Region { path, allow, deny, immutable, blocked, is_default, index, narrowing: 0 })
}

/// Checked before any pattern is compiled.
fn count_patterns(item: &Value) -> usize {
    let count = |name| item.get(name).and_then(Value::as_array).map_or(0, Vec::len);
    ["allow", "deny", "immutable"].into_iter().map(count).sum()
}

/// A null member counts as absent.
fn without_nulls(object: &serde_json::Map<String, Value>) -> serde_json::Map<String, Value> {
    let said = object.iter().filter(|(_, value)| !value.is_null());
    said.map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn path(text: &str, at: Pointer, findings: &mut Findings) -> Option<Path> {
    let path = Path::parse(text);
    if path.is_none() {
        let problem = format!("`{}` is not a path that can be compared", brief(text));
        findings.error(at, problem, "write it without `.`, `..` and `//`");
    }
    path
}

fn patterns(members: &mut Members<'_, '_>, name: &'static str, role: Role) -> Option<Patterns> {
    let patterns = members.texts(name)?;
    match Patterns::parse(role, &patterns) {
        Ok(patterns) => Some(patterns),
        Err(error) => {
            let at = members.at(name);
            let at = error.index.map_or_else(|| at.clone(), |index| at.index(index));
            members.findings().error(at, error.problem, "write patterns such as `src/**`");
            None
        }
    }
}
